import { resourceListJson } from "../layout/resource-list-json.ts";

/** Names an item in a backup: its type by `apiVersion/Kind`, and its place. */
export interface ItemKey {
  /** `v1/Pod`, `apps/v1/Deployment`. */
  readonly resourceKey: string;
  readonly namespace: string;
  readonly name: string;
}

/** An item's key as one text, for maps. */
export function itemKeyText({ resourceKey, namespace, name }: ItemKey): string {
  return `${resourceKey} ${namespace}/${name}`;
}

function entryOf({ namespace, name }: ItemKey): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

/**
 * The items of a backup. An item counts from the moment its turn begins, so one that then fails stays in the list, as in
 * Velero; only one that an action skips is taken out again.
 */
export class BackedUpItems {
  readonly #byType = new Map<string, Set<string>>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  has(key: ItemKey): boolean {
    return this.#byType.get(key.resourceKey)?.has(entryOf(key)) ?? false;
  }

  /** False when the item was there before. */
  add(key: ItemKey): boolean {
    let entries = this.#byType.get(key.resourceKey);
    if (!entries) {
      entries = new Set();
      this.#byType.set(key.resourceKey, entries);
    }
    const before = entries.size;
    entries.add(entryOf(key));
    if (entries.size === before) return false;
    this.#count++;
    return true;
  }

  remove(key: ItemKey): void {
    if (this.#byType.get(key.resourceKey)?.delete(entryOf(key))) this.#count--;
  }

  /** The content of the resource list file, in pieces: types and entries sorted, as Go writes a map. */
  resourceListJson(): Iterable<string> {
    const types = [...this.#byType].filter(([, entries]) => entries.size > 0);
    return resourceListJson(
      types.map(([resourceKey]) => resourceKey),
      (resourceKey) => this.#byType.get(resourceKey) ?? [],
    );
  }
}
