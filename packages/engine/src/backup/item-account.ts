import type { Ledger } from "../ledger/ledger.ts";
import type { RunLog } from "../run-log/run-log.ts";
import { type BackedUpItems, type ItemKey, itemKeyText } from "./backed-up-items.ts";

/** An item with the names it has in files and in messages. */
export interface AccountedItem extends ItemKey {
  readonly groupResource: string;
}

/** Why an item's turn failed, in part or whole. */
export interface ItemFailure {
  readonly step: string;
  readonly plugin?: string;
  readonly text: string;
}

/**
 * Keeps the account of a run's items: how many there are, and for each exactly one outcome. An item that was left out may still be
 * brought in by another item's action, so what was left out is written down at the end.
 */
export class ItemAccount {
  readonly #items: BackedUpItems;
  readonly #ledger: Ledger;
  readonly #log: Pick<RunLog, "fileOnly" | "room">;
  readonly #left = new Map<
    string,
    { readonly item: AccountedItem; readonly reason: string; readonly plugin?: string }
  >();
  #collected = 0;
  #extra = 0;

  constructor({
    items,
    ledger,
    log,
  }: { items: BackedUpItems; ledger: Ledger; log: Pick<RunLog, "fileOnly" | "room"> }) {
    this.#items = items;
    this.#ledger = ledger;
    this.#log = log;
  }

  /** Items the backup has and will have, as far as is known. */
  get total(): number {
    return this.#collected + this.#extra;
  }

  get done(): number {
    return this.#items.count;
  }

  /** Set while log and ledger are behind; items wait for it, so that memory stays flat. */
  room(): Promise<void> | undefined {
    return this.#ledger.room() ?? this.#log.room();
  }

  collected(): void {
    this.#collected++;
  }

  /** Enters an item; false when it was there before. One that was not collected adds to the total. */
  enter(item: AccountedItem, { collected }: { readonly collected: boolean }): boolean {
    if (!this.#items.add(item)) return false;
    const wasLeft = this.#left.size > 0 && this.#left.delete(itemKeyText(item));
    if (!collected && !wasLeft) this.#extra++;
    return true;
  }

  stored({ groupResource, namespace, name }: AccountedItem): void {
    this.#ledger.item({ resource: groupResource, namespace, name, outcome: "stored" });
    this.#log.fileOnly.info("Backed up item", { resource: groupResource, namespace, name });
  }

  failed({ groupResource, namespace, name }: AccountedItem, failures: readonly ItemFailure[]): void {
    const [first] = failures;
    this.#ledger.item({
      resource: groupResource,
      namespace,
      name,
      outcome: "failed",
      step: first?.step ?? "item",
      ...(first?.plugin === undefined ? {} : { plugin: first.plugin }),
      cause: failures.map(({ text }) => text).join("; "),
    });
  }

  /** Notes that an item is left out; it may come in after all. */
  left(item: AccountedItem, reason: string, plugin?: string): void {
    this.#left.set(itemKeyText(item), { item, reason, ...(plugin === undefined ? {} : { plugin }) });
  }

  /** Takes an item out again because an action wants it skipped. */
  skippedByAction(item: AccountedItem, plugin: string, { collected }: { readonly collected: boolean }): void {
    this.#items.remove(item);
    if (collected) this.#collected--;
    else this.#extra--;
    this.left(item, "an action wants it skipped", plugin);
  }

  /** Writes the outcome of everything that was left out for good. */
  close(): void {
    for (const { item, reason, plugin } of this.#left.values()) {
      const { groupResource: resource, namespace, name } = item;
      const by = plugin === undefined ? {} : { plugin };
      this.#ledger.item({ resource, namespace, name, outcome: "skipped", reason, ...by });
      this.#log.fileOnly.info("Left out item", { resource, namespace, name, reason, ...by });
    }
    this.#left.clear();
  }
}
