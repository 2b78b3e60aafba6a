import { forEachConcurrent, formatLabelSelector, messageOf, type Scope, withFields } from "@jibe/base";
import type { BackupSpec } from "@jibe/plugin-sdk/contracts";
import type { ResolvedActions } from "../actions/resolve-actions.ts";
import type { Cluster, ListedItem } from "../ports/cluster.ts";
import type { BackupAction, BlockAction } from "../ports/plugins.ts";
import type { IncludesExcludes } from "../select/includes-excludes.ts";
import { type BackupFilters, type TypeFilter, takesLabels } from "./backup-filters.ts";
import { type CollectedItem, inOrder } from "./collected-item.ts";
import { type NamespaceTracker, selectorsOf } from "./namespace-tracker.ts";
import type { Spool } from "./spool.ts";
import type { CollectedType } from "./types-to-collect.ts";

export interface CollectOptions {
  readonly cluster: Cluster;
  readonly spec: BackupSpec;
  readonly types: readonly CollectedType[];
  readonly namespaces: IncludesExcludes;
  /** How many namespaces there are. */
  readonly namespaceCount: number;
  readonly filters: BackupFilters | undefined;
  readonly tracker: NamespaceTracker;
  readonly actions: ResolvedActions<BackupAction>;
  readonly blockActions: ResolvedActions<BlockAction>;
  readonly spool: Spool;
  readonly pageSize: number;
  readonly typesAtOnce: number;
  /** Asked about each item; one that is left out goes no further. */
  readonly accept: (item: ListedItem, of: CollectedType) => boolean;
  /** Takes an item that nobody needs to see again, straight from the page. Holds the list back while it is busy. */
  readonly take: (item: ListedItem, of: CollectedType, scope: Scope) => Promise<void>;
}

// Pods have hooks and volumes, claims and volumes have data: their turn is never a mere copy.
const alwaysSpooled: ReadonlySet<string> = new Set(["pods", "persistentvolumeclaims", "persistentvolumes"]);

/**
 * Lists every type, several at once. Items that no action, block or order concerns go to `take` as raw bytes; the others are
 * spooled and returned in the order of their types. A list that fails is logged and costs only what it had not delivered.
 */
export async function collectItems(options: CollectOptions, scope: Scope): Promise<CollectedItem[]> {
  const { types, typesAtOnce } = options;
  const collected: CollectedItem[][] = types.map(() => []);
  const each = async ([index, of]: [number, CollectedType], inner: Scope) => {
    collected[index] = await new TypeCollector(options, of).run(inner);
  };
  await forEachConcurrent(types.entries(), { limit: typesAtOnce, each }, scope);
  return collected.flat();
}

class TypeCollector {
  readonly #options: CollectOptions;
  readonly #of: CollectedType;
  readonly #order: readonly string[];
  readonly #items: CollectedItem[] = [];
  /** Set when one item may come from several lists. */
  #seen: Set<string> | undefined;

  constructor(options: CollectOptions, of: CollectedType) {
    this.#options = options;
    this.#of = of;
    const order = options.spec.orderedResources?.[of.type.resource] ?? "";
    this.#order = order === "" ? [] : order.split(",");
  }

  async run(scope: Scope): Promise<CollectedItem[]> {
    for (const namespace of this.#of.type.namespaced ? namespacesToList(this.#options) : [undefined]) {
      const filter = this.#filterOf(namespace ?? "");
      if (filter === "none") continue;
      const selectors = (filter?.selectors ?? selectorsOf(this.#options.spec)).map(formatLabelSelector);
      if (selectors.length > 1) this.#seen ??= new Set();
      for (const labelSelector of selectors.length === 0 ? [""] : selectors) {
        await this.#list(namespace, labelSelector, scope);
      }
    }
    if (this.#order.length === 0) return this.#items;
    return inOrder(this.#items, this.#order, (name) => scope.log.warn(`Cannot find resource '${name}'.`));
  }

  async #list(namespace: string | undefined, labelSelector: string, scope: Scope): Promise<void> {
    const { cluster, pageSize } = this.#options;
    const { type } = this.#of;
    const options = { limit: pageSize, labelSelector, ...(namespace === undefined ? {} : { namespace }) };
    const group = type.group === "" ? type.version : `${type.group}/${type.version}`;
    const at = withFields(scope, { group, resource: type.resource, namespace: namespace ?? "" });
    const pages = cluster.listPages(type, options, scope)[Symbol.asyncIterator]();
    try {
      while (true) {
        const next = await pages.next().catch((error: unknown) => {
          scope.signal.throwIfAborted();
          at.log.error("Error listing items", { error: messageOf(error) });
        });
        if (!next || next.done) return;
        await this.#page(next.value, { everywhere: namespace === undefined }, scope);
      }
    } finally {
      await pages.return?.(undefined);
    }
  }

  async #page(page: readonly ListedItem[], { everywhere }: { everywhere: boolean }, scope: Scope): Promise<void> {
    const { actions, blockActions, accept, take } = this.#options;
    const kept: { item: ListedItem; actions: readonly BackupAction[]; blockActions: readonly BlockAction[] }[] = [];
    for (const item of page) {
      if (!this.#belongs(item, everywhere) || !accept(item, this.#of)) continue;
      const selectable = { groupResource: this.#of.groupResource, namespace: item.namespace, labels: item.labels };
      const own = { item, actions: actions.for(selectable), blockActions: blockActions.for(selectable) };
      if (this.#mustSpool(own)) kept.push(own);
      else await take(item, this.#of, scope);
    }
    await this.#spool(kept, scope);
  }

  /** What a filter policy says of this type in a namespace; the empty one stands for all of them, as in Velero. */
  #filterOf(namespace: string): TypeFilter | "none" | undefined {
    const { filters } = this.#options;
    const { type, groupResource } = this.#of;
    return type.namespaced ? filters?.ofNamespaced(groupResource, namespace) : filters?.ofClusterScoped(groupResource);
  }

  /** A list over all namespaces also brings items of excluded ones, and those that a filter policy leaves out. */
  #belongs(item: ListedItem, everywhere: boolean): boolean {
    const { namespaces, tracker } = this.#options;
    const { namespace, name } = item;
    if (namespace !== "") {
      if (everywhere && !(namespaces.shouldInclude(namespace) && this.#passesFilter(item))) return false;
      tracker.track(namespace);
    }
    if (!this.#seen) return true;
    const place = `${namespace}/${name}`;
    return !this.#seen.has(place) && this.#seen.add(place) !== undefined;
  }

  #passesFilter({ namespace, labels }: ListedItem): boolean {
    if (!this.#options.filters?.hasNamespaced) return true;
    const filter = this.#filterOf(namespace);
    return filter === undefined || (filter !== "none" && takesLabels(filter, labels));
  }

  #mustSpool(own: { actions: readonly BackupAction[]; blockActions: readonly BlockAction[] }): boolean {
    const wanted = own.actions.length > 0 || own.blockActions.length > 0 || this.#order.length > 0;
    return wanted || alwaysSpooled.has(this.#of.groupResource);
  }

  async #spool(
    kept: readonly { item: ListedItem; actions: readonly BackupAction[]; blockActions: readonly BlockAction[] }[],
    scope: Scope,
  ): Promise<void> {
    const bodies = kept.map(({ item }) => item.bytes);
    const extents = await this.#options.spool.add(bodies, scope);
    kept.forEach(({ item: { namespace, name }, actions, blockActions }, index) => {
      const { offset, length } = extents[index] ?? { offset: 0, length: 0 };
      const own = { of: this.#of, namespace, name, actions, blockActions };
      this.#items.push({ ...own, offset, length, ordered: false, placed: false });
    });
  }
}

const fewNamespaces = 8;

/**
 * One list over everything when `*` is included, else one per included namespace; but when these are many and a good part of all, one
 * list over everything costs less. What it brings too much is dropped.
 */
function namespacesToList({ namespaces, namespaceCount, filters }: CollectOptions): readonly (string | undefined)[] {
  if (namespaces.includes.includes("*") || namespaces.shouldInclude("*")) return [undefined];
  const names = namespaces.includes.filter((name) => name !== "" && namespaces.shouldInclude(name));
  if (filters?.hasNamespaced) return names; // each may have selectors of its own
  return names.length > fewNamespaces && names.length * 4 > namespaceCount ? [undefined] : names;
}
