/** What the resource list says of an item. */
export type RestoredAction = "created" | "updated" | "failed" | "skipped";

/** An item of this run, known from the moment somebody asks for it. */
export interface RestoredItem {
  /** The namespace it comes from. */
  readonly origin: string;
  readonly namespace: string;
  readonly name: string;
  /** `v1/Pod`; known once the item was read. */
  resourceKey: string;
  action: RestoredAction | undefined;
  /** Whether it is now in the target, created or found there. */
  exists: boolean;
  /** The name the API server gave, where it differs. */
  createdName: string | undefined;
  /** Whether it counts in progress and resource list. */
  isCounted: boolean;
  /** Resolves when the item has come to its end; absent from then on. */
  finished: Promise<void> | undefined;
  /** The item this one waits for. */
  waitsFor: RestoredItem | undefined;
}

/** All items of a run: each is restored once, however many ask for it. */
export class RestoredItems {
  readonly #items = new Map<string, RestoredItem>();
  #counted = 0;
  #finished = 0;

  /** Items that count and have come to their end. */
  get finished(): number {
    return this.#finished;
  }

  /** Items that count, ended or not. */
  get counted(): number {
    return this.#counted;
  }

  find(groupResource: string, namespace: string, name: string): RestoredItem | undefined {
    return this.#items.get(keyOf(groupResource, namespace, name));
  }

  /** Enters an item that nobody has asked for yet. `end` must be called once. */
  begin(place: {
    readonly groupResource: string;
    readonly namespace: string;
    readonly targetNamespace: string;
    readonly name: string;
  }): { readonly item: RestoredItem; readonly end: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { groupResource, namespace: origin, targetNamespace: namespace, name } = place;
    const item: RestoredItem = {
      origin,
      namespace,
      name,
      resourceKey: "",
      action: undefined,
      exists: false,
      createdName: undefined,
      isCounted: false,
      finished: promise,
      waitsFor: undefined,
    };
    this.#items.set(keyOf(groupResource, namespace, name), item);
    const end = () => {
      item.finished = undefined;
      if (item.isCounted) this.#finished++;
      resolve();
    };
    return { item, end };
  }

  /** From here on the item is part of progress and resource list. */
  count(item: RestoredItem, resourceKey: string): void {
    item.resourceKey = resourceKey;
    item.isCounted = true;
    this.#counted++;
  }

  /** Waits for an item that somebody else restores. A wait that would close a circle counts as met. */
  async waitFor(item: RestoredItem, asker: RestoredItem | undefined): Promise<void> {
    if (!item.finished) return;
    for (let next: RestoredItem | undefined = item; next; next = next.waitsFor) if (next === asker) return;
    await waitingFor(asker, item, item.finished);
  }

  /** Content of the resource list file: `ns/name(action)` by `apiVersion/Kind`, sorted. */
  resourceList(): Record<string, string[]> {
    const lists = new Map<string, string[]>();
    for (const { isCounted, resourceKey, namespace, name, createdName, action = "skipped" } of this.#items.values()) {
      if (!isCounted) continue;
      const list = lists.get(resourceKey) ?? [];
      lists.set(resourceKey, list);
      list.push(`${namespace === "" ? "" : `${namespace}/`}${createdName ?? name}(${action})`);
    }
    return Object.fromEntries([...lists].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, list]) => [key, list.sort()]));
  }
}

/** Marks that one item waits for another while `wait` goes on. */
export async function waitingFor<T>(asker: RestoredItem | undefined, item: RestoredItem, wait: Promise<T>): Promise<T> {
  if (asker) asker.waitsFor = item;
  try {
    return await wait;
  } finally {
    if (asker) asker.waitsFor = undefined;
  }
}

function keyOf(groupResource: string, namespace: string, name: string): string {
  return `${groupResource}/${namespace}/${name}`;
}
