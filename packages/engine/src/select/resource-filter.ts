import { type Discovery, groupResourceOf } from "../ports/cluster.ts";
import { type IncludeExcludeLists, type IncludesExcludes, includesExcludes } from "./includes-excludes.ts";

/** Finds a type by any of its names. `Discovery` is one; others know more, such as an archive's own CRDs. */
export type ResourceFinder = Pick<Discovery, "find">;

/** The full name of a resource (`deploy` gives `deployments.apps`); a name that nobody knows stays as it is. */
export function resolveResourceName(name: string, types: ResourceFinder): string {
  const type = types.find(name);
  return type ? groupResourceOf(type) : name;
}

/**
 * A filter of resource types. Names are resolved, so `po`, `pod` and `pods` are the same; names that cannot be resolved stay, so that
 * a list of unknown names selects nothing rather than everything. A `*` among the excludes is dropped.
 */
export function resourceFilter(
  { includes = [], excludes = [] }: IncludeExcludeLists,
  types: ResourceFinder,
): IncludesExcludes {
  const resolve = (name: string) => (name === "*" ? name : resolveResourceName(name, types));
  return includesExcludes({
    includes: includes.map(resolve),
    excludes: excludes.filter((name) => name !== "*").map(resolve),
  });
}
