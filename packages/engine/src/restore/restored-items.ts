import { resourceListJson } from "../layout/resource-list-json.ts";

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

export interface RestoredPlace {
  readonly groupResource: string;
  readonly namespace: string;
  readonly targetNamespace: string;
  readonly name: string;
}

const actions: readonly RestoredAction[] = ["created", "updated", "failed", "skipped"];

/**
 * All items of a run: each is restored once, however many ask for it. An item that has ended shrinks to a number where nothing is
 * special about it, so that a run of many items stays small.
 */
export class RestoredItems {
  readonly #items = new Map<string, Map<string, Map<string, RestoredItem | number>>>();
  readonly #resourceKeys: string[] = [];
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

  /** The item as it is now. Of one that has ended this is a copy. */
  find(groupResource: string, namespace: string, name: string): RestoredItem | undefined {
    const found = this.#items.get(groupResource)?.get(namespace)?.get(name);
    return typeof found === "number" ? this.#unpack(found, namespace, name) : found;
  }

  /** Enters an item that nobody has asked for yet. `end` must be called once. */
  begin(place: RestoredPlace): { readonly item: RestoredItem; readonly end: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { groupResource, namespace: origin, targetNamespace: namespace, name } = place;
    const item: RestoredItem = { ...blank, origin, namespace, name, finished: promise };
    const shelf = this.#shelf(groupResource, namespace);
    shelf.set(name, item);
    const end = () => {
      item.finished = undefined;
      if (item.isCounted) this.#finished++;
      if (item.createdName === undefined && origin === namespace) shelf.set(name, this.#pack(item));
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

  /** Content of the resource list file, in pieces: `ns/name(action)` by `apiVersion/Kind`, sorted. */
  resourceListJson(): Iterable<string> {
    const keys = new Map<string, Set<string>>();
    for (const { groupResource, item } of this.#counts()) {
      const types = keys.get(item.resourceKey) ?? new Set();
      keys.set(item.resourceKey, types.add(groupResource));
    }
    return resourceListJson(keys.keys(), (key) => this.#entries(key, keys.get(key) ?? new Set()));
  }

  *#entries(resourceKey: string, groupResources: ReadonlySet<string>): Generator<string> {
    for (const { item } of this.#counts(groupResources)) {
      if (item.resourceKey !== resourceKey) continue;
      const { namespace, name, createdName = name, action = "skipped" } = item;
      yield `${namespace === "" ? "" : `${namespace}/`}${createdName}(${action})`;
    }
  }

  /** The items that count, of some types or of all. */
  *#counts(
    groupResources: Iterable<string> = this.#items.keys(),
  ): Generator<{ readonly groupResource: string; readonly item: RestoredItem }> {
    for (const groupResource of groupResources) {
      for (const [namespace, shelf] of this.#items.get(groupResource) ?? []) {
        for (const [name, stored] of shelf) {
          const item = typeof stored === "number" ? this.#unpack(stored, namespace, name) : stored;
          if (item.isCounted) yield { groupResource, item };
        }
      }
    }
  }

  #shelf(groupResource: string, namespace: string): Map<string, RestoredItem | number> {
    const namespaces = this.#items.get(groupResource) ?? new Map<string, Map<string, RestoredItem | number>>();
    this.#items.set(groupResource, namespaces);
    const shelf = namespaces.get(namespace) ?? new Map<string, RestoredItem | number>();
    namespaces.set(namespace, shelf);
    return shelf;
  }

  #pack({ resourceKey, action, exists, isCounted }: RestoredItem): number {
    const known = this.#resourceKeys.indexOf(resourceKey);
    const key = known >= 0 ? known : this.#resourceKeys.push(resourceKey) - 1;
    return key * 32 + actions.indexOf(action ?? "skipped") * 4 + (exists ? 2 : 0) + (isCounted ? 1 : 0);
  }

  #unpack(code: number, namespace: string, name: string): RestoredItem {
    return {
      ...blank,
      origin: namespace,
      namespace,
      name,
      resourceKey: this.#resourceKeys[Math.floor(code / 32)] ?? "",
      action: actions[(code >> 2) & 3],
      exists: (code & 2) !== 0,
      isCounted: (code & 1) !== 0,
    };
  }
}

const blank: Omit<RestoredItem, "origin" | "namespace" | "name"> = {
  resourceKey: "",
  action: undefined,
  exists: false,
  createdName: undefined,
  isCounted: false,
  finished: undefined,
  waitsFor: undefined,
};

/** Marks that one item waits for another while `wait` goes on. */
export async function waitingFor<T>(asker: RestoredItem | undefined, item: RestoredItem, wait: Promise<T>): Promise<T> {
  if (asker) asker.waitsFor = item;
  try {
    return await wait;
  } finally {
    if (asker) asker.waitsFor = undefined;
  }
}
