import { mapConcurrent, messageOf, type Scope } from "@jibe/base";
import type { Archive, ArchivedItem } from "../archive/archive.ts";
import { resolveResourceName } from "../select/resource-filter.ts";
import type { ItemFilter } from "./filter-rules.ts";
import { orderWaves, type ResourcePriorities } from "./resource-priorities.ts";
import type { RestoreFilters } from "./restore-filters.ts";
import type { TypeTable } from "./type-table.ts";

/** Selected items of one type in one namespace, which is empty for cluster-scoped ones. */
export interface SelectedItems {
  readonly groupResource: string;
  readonly namespace: string;
  readonly names: readonly string[];
  /** The version to read them in; their unversioned copies unless given. */
  readonly version?: string;
}

export interface RestoreWave {
  readonly name: string;
  readonly parts: readonly SelectedItems[];
}

export interface UnreadableItem {
  readonly groupResource: string;
  readonly namespace: string;
  readonly name: string;
  readonly error: string;
}

/** The whole plan of a restore, known before anything is written. */
export interface RestorePlan {
  readonly waves: readonly RestoreWave[];
  readonly total: number;
  /** Items whose labels could not be read. */
  readonly unreadable: readonly UnreadableItem[];
}

export interface CollectOptions {
  readonly archive: Archive;
  readonly filters: RestoreFilters;
  readonly types: TypeTable;
  readonly priorities: ResourcePriorities;
  readonly versions: ReadonlyMap<string, string>;
}

/** Step one: decides from the archive alone what is restored and in which order. Bodies are read only where labels decide. */
export async function collectRestore(options: CollectOptions, scope: Scope): Promise<RestorePlan> {
  const { archive, filters, types, priorities, versions } = options;
  const resolve = (name: string) => resolveResourceName(name, types);
  const unreadable: UnreadableItem[] = [];
  const waves: RestoreWave[] = [];
  let total = 0;
  for (const { name, groupResources } of orderWaves(archive.groupResources(), priorities, resolve)) {
    const parts: SelectedItems[] = [];
    for (const groupResource of groupResources) {
      const version = versions.get(groupResource);
      for (const namespace of archive.namespaces(groupResource, version)) {
        if (!filters.selects(groupResource, namespace)) continue;
        const place = { groupResource, namespace, ...(version === undefined ? {} : { version }) };
        const names = await selectNames(place, { options, unreadable }, scope);
        if (names.length > 0) parts.push({ ...place, names });
        total += names.length;
      }
    }
    if (parts.length > 0) waves.push({ name, parts });
  }
  return { waves, total, unreadable };
}

async function selectNames(
  place: Omit<SelectedItems, "names">,
  { options, unreadable }: { options: CollectOptions; unreadable: UnreadableItem[] },
  scope: Scope,
): Promise<readonly string[]> {
  const { archive, filters } = options;
  const { groupResource, namespace, version } = place;
  const names = archive.names(groupResource, namespace, version);
  const kind = () => kindOf({ ...place, name: names[0] ?? "" }, archive, scope);
  const filter = await filters.itemFilter({ groupResource, namespace, kind });
  if (filter === "all") return names;
  if (!filter) return [];
  if (!filter.needsLabels) return names.filter((name) => filter.matches(name, undefined));
  return matching({ place, names, filter }, { archive, unreadable }, scope);
}

/** The kind that an item bears; empty when it cannot be read, which is told when it is restored. */
async function kindOf(item: ArchivedItem, archive: Archive, scope: Scope): Promise<string> {
  try {
    return (await archive.read(item, scope)).object.kind;
  } catch {
    scope.signal.throwIfAborted();
    return "";
  }
}

async function matching(
  items: {
    readonly place: Omit<SelectedItems, "names">;
    readonly names: readonly string[];
    readonly filter: ItemFilter;
  },
  { archive, unreadable }: { readonly archive: Archive; readonly unreadable: UnreadableItem[] },
  scope: Scope,
): Promise<string[]> {
  const { place, names, filter } = items;
  const selected: string[] = [];
  const each = async (name: string, inner: Scope): Promise<string | undefined> => {
    try {
      const { object } = await archive.read({ ...place, name }, inner);
      return filter.matches(name, object.metadata.labels) ? name : undefined;
    } catch (error) {
      inner.signal.throwIfAborted();
      const { groupResource, namespace } = place;
      unreadable.push({ groupResource, namespace, name, error: messageOf(error) });
      return undefined;
    }
  };
  for await (const name of mapConcurrent(names, { limit: 16, each, ordered: true }, scope)) {
    if (name !== undefined) selected.push(name);
  }
  return selected;
}
