import { hasCode, messageOf, type Scope } from "@jibe/base";
import type { ResourceIdentifier } from "@jibe/plugin-sdk/contracts";
import type { CollectedItem } from "../collect/collected-item.ts";
import { preferredType } from "../collect/types-to-collect.ts";
import type { BlockAction } from "../ports/plugins.ts";
import type { BackupRun } from "./backup-run.ts";
import { exclusionReason } from "./item-inclusion.ts";
import { fetchItem, type RunItem, runItemFromCollected } from "./run-item.ts";

/** Items that are backed up one after the other, with the hooks of all their pods around them. */
export interface ItemBlock {
  readonly items: readonly RunItem[];
  /** The spec orders them: whatever comes later begins after their end. */
  readonly ordered: boolean;
}

const lookAhead = 32;

interface Candidate {
  readonly item: RunItem;
  readonly blockActions: readonly BlockAction[];
  /** The related items, by action; asked for ahead of time. */
  related?: Promise<readonly ResourceIdentifier[]>;
}

/**
 * Puts the collected items into blocks, in order: an item with all its versions and what the block actions say is related to it, and
 * in turn to that. Items that the spec orders share a block. Related items are asked for ahead, several at once.
 */
export class BlockBuilder {
  readonly #run: BackupRun;
  readonly #ahead = new Map<CollectedItem, Candidate>();
  /** Related items that were fetched, so that none is fetched twice. */
  readonly #fetched = new Set<string>();
  #nextAhead = 0;

  constructor(run: BackupRun) {
    this.#run = run;
  }

  async *blocks(scope: Scope): AsyncGenerator<ItemBlock> {
    const { collection } = this.#run;
    let block: RunItem[] = [];
    for (const [index, item] of collection.items.entries()) {
      scope.signal.throwIfAborted();
      this.#askAhead(index, scope);
      if (!item.placed) await this.#addWithVersions(item, block, scope);
      const next = collection.items[index + 1];
      const goesOn = item.ordered && next?.ordered === true && next.of.groupResource === item.of.groupResource;
      if (goesOn || block.length === 0) continue;
      yield { items: block, ordered: item.ordered };
      block = [];
    }
  }

  #askAhead(index: number, scope: Scope): void {
    const { items } = this.#run.collection;
    for (this.#nextAhead = Math.max(this.#nextAhead, index); this.#nextAhead < index + lookAhead; this.#nextAhead++) {
      const item = items[this.#nextAhead];
      if (!item) return;
      if (item.placed || item.blockActions.length === 0) continue;
      const candidate = this.#candidate(item);
      candidate.related ??= this.#related(candidate, scope);
      candidate.related.catch(() => {}); // whoever places the item sees the failure
    }
  }

  #candidate(item: CollectedItem): Candidate {
    const known = this.#ahead.get(item);
    if (known) return known;
    const candidate = { item: runItemFromCollected(item, this.#run), blockActions: item.blockActions };
    this.#ahead.set(item, candidate);
    return candidate;
  }

  async #addWithVersions(item: CollectedItem, block: RunItem[], scope: Scope): Promise<void> {
    const { groupResource } = item.of;
    const versions = isAlone(item) ? [item] : this.#run.collection.find(groupResource, item.namespace, item.name);
    let first: Candidate | undefined;
    for (const version of versions) {
      if (version.placed) continue;
      version.placed = true;
      const candidate = this.#candidate(version);
      this.#ahead.delete(version);
      block.push(candidate.item);
      first ??= candidate;
    }
    if (first) await this.#addRelated(first, block, scope);
  }

  async #addRelated(candidate: Candidate, block: RunItem[], scope: Scope): Promise<void> {
    if (candidate.blockActions.length === 0) return;
    for (const id of await (candidate.related ?? this.#related(candidate, scope))) {
      const { groupResource, namespace = "", name } = id;
      const collected = this.#run.collection.find(groupResource, namespace, name);
      const [item] = collected;
      if (item) {
        if (!item.placed) await this.#addWithVersions(item, block, scope);
      } else await this.#addFetched(id, block, scope);
    }
  }

  async #related({ item, blockActions }: Candidate, scope: Scope): Promise<readonly ResourceIdentifier[]> {
    const related: ResourceIdentifier[] = [];
    for (const action of blockActions) {
      try {
        related.push(...(await action.getRelatedItems(await item.body(scope), this.#run.backup, scope)));
      } catch (error) {
        scope.signal.throwIfAborted();
        const place = `(groupResource=${item.groupResource}, namespace=${item.namespace}, name=${item.name})`;
        scope.log.error(`error executing ItemBlock action ${place}: ${messageOf(error)}`, { plugin: action.name });
      }
    }
    return related;
  }

  /** A related item that was not collected. What came straight from a list into the archive needs no place in a block. */
  async #addFetched(id: ResourceIdentifier, block: RunItem[], scope: Scope): Promise<void> {
    const { groupResource, namespace = "", name } = id;
    const place = `${groupResource} ${namespace}/${name}`;
    const resourceKey = preferredType(this.#run.discovery, groupResource)?.resourceKey ?? "";
    if (this.#fetched.has(place) || this.#run.items.has({ resourceKey, namespace, name })) return;
    this.#fetched.add(place);
    const item = await fetchItem(id, this.#run, scope).catch((error: unknown) => {
      scope.signal.throwIfAborted();
      if (hasCode(error, "NotFound")) {
        const text = "Related item was not found in Kubernetes API, can't add to item block";
        scope.log.warn(text, { groupResource, namespace, name });
      } else scope.log.error(`Error while trying to get related item ${place} from cluster: ${messageOf(error)}`);
    });
    if (!item || (await this.#isLeftOut(item, scope))) return;
    block.push(item);
    const { labels = {} } = (await item.body(scope)).object.metadata;
    const blockActions = this.#run.blockActions.for({ groupResource, namespace, labels });
    await this.#addRelated({ item, blockActions }, block, scope);
  }

  async #isLeftOut(item: RunItem, scope: Scope): Promise<boolean> {
    const { labels = {}, deletionTimestamp } = (await item.body(scope)).object.metadata;
    const { of, namespace, name } = item;
    const facts = { of, namespace, name, labels, deletionTimestamp };
    const reason = exclusionReason(facts, this.#run.inclusion, { mustInclude: false });
    if (reason !== undefined) this.#run.account.left(item, reason);
    return reason !== undefined;
  }
}

/** Only with all API versions in the backup can an item have more than one. */
function isAlone({ of }: CollectedItem): boolean {
  return of.preferred && of.versions === 1;
}
