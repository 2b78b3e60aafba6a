import type { BackupAction, BlockAction } from "../ports/plugins.ts";
import type { Extent } from "./spool.ts";
import type { CollectedType } from "./types-to-collect.ts";

/** An item that was collected and whose body lies in the spool, because an action, a block or an order needs it. */
export interface CollectedItem extends Extent {
  readonly of: CollectedType;
  readonly namespace: string;
  readonly name: string;
  /** What applies to it, by its labels as collected. */
  readonly actions: readonly BackupAction[];
  readonly blockActions: readonly BlockAction[];
  /** Whether the spec names it in `orderedResources`. */
  ordered: boolean;
  /** Whether it has its place in a block. */
  placed: boolean;
}

/** What was collected and waits for its turn, in the order of its types. Empty until everything was listed. */
export class Collection {
  #items: readonly CollectedItem[] = [];
  readonly #index = new Map<string, Map<string, CollectedItem[]>>();

  get items(): readonly CollectedItem[] {
    return this.#items;
  }

  fill(items: readonly CollectedItem[]): void {
    this.#items = items;
    this.#index.clear();
  }

  /** An item in all its collected versions. The index of a type is made when someone first asks for it. */
  find(groupResource: string, namespace: string, name: string): readonly CollectedItem[] {
    let index = this.#index.get(groupResource);
    if (!index) {
      index = new Map();
      for (const item of this.items) {
        if (item.of.groupResource !== groupResource) continue;
        const place = `${item.namespace}/${item.name}`;
        const versions = index.get(place);
        if (versions) versions.push(item);
        else index.set(place, [item]);
      }
      this.#index.set(groupResource, index);
    }
    return index.get(`${namespace}/${name}`) ?? [];
  }
}

/** Puts the items that `order` names first, in its order; the rest keeps theirs. Tells about names that are not there. */
export function inOrder(
  items: readonly CollectedItem[],
  order: readonly string[],
  onMissing: (name: string) => void,
): CollectedItem[] {
  const byPlace = new Map(items.map((item) => [placeOf(item), item]));
  const first: CollectedItem[] = [];
  for (const name of order) {
    const item = byPlace.get(name);
    if (!item) onMissing(name);
    else if (!item.ordered) {
      item.ordered = true;
      first.push(item);
    }
  }
  return [...first, ...items.filter(({ ordered }) => !ordered)];
}

function placeOf({ namespace, name }: CollectedItem): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}
