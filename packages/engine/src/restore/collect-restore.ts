import { mapConcurrent, messageOf, type Scope } from "@jibe/base";
import type { Archive } from "../archive/archive.ts";
import { resolveResourceName } from "../select/resource-filter.ts";
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
        const all = archive.names(groupResource, namespace, version);
        const names = filters.needsLabels ? await matching(place, all, { options, unreadable }, scope) : all;
        if (names.length > 0) parts.push({ ...place, names });
        total += names.length;
      }
    }
    if (parts.length > 0) waves.push({ name, parts });
  }
  return { waves, total, unreadable };
}

async function matching(
  place: Omit<SelectedItems, "names">,
  names: readonly string[],
  { options, unreadable }: { options: CollectOptions; unreadable: UnreadableItem[] },
  scope: Scope,
): Promise<string[]> {
  const selected: string[] = [];
  const each = async (name: string, inner: Scope): Promise<string | undefined> => {
    try {
      const { object } = await options.archive.read({ ...place, name }, inner);
      return options.filters.matchesLabels(place.groupResource, object.metadata.labels) ? name : undefined;
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
