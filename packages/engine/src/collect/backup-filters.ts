import { type Labels, type Logger, matchesLabels } from "@jibe/base";
import type { FilterPolicies, ResourceRule } from "../policies/filter-policies.ts";
import { NamespaceLookup } from "../policies/namespace-lookup.ts";
import { groupResourceOf } from "../ports/cluster.ts";
import { type IncludesExcludes, includesExcludes } from "../select/includes-excludes.ts";
import type { ResourceFinder } from "../select/resource-filter.ts";
import type { ResourceRules } from "./resource-rules.ts";

/** What a filter policy says of the items of one type: selectors that stand in for the spec's, and which names are taken. */
export interface TypeFilter {
  readonly selectors: ResourceRule["selectors"];
  readonly names: IncludesExcludes;
}

interface NamespaceFilters {
  readonly byType: ReadonlyMap<string, TypeFilter>;
  readonly forOthers: TypeFilter | undefined;
}

/**
 * The filter policies of a backup, with their names resolved. In a namespace that a policy names, only types with a rule are collected;
 * cluster-scoped types without a rule are left to the spec. Names are checked for every item, also for one that an action asks for;
 * selectors and types only for what is collected.
 */
export class BackupFilters {
  readonly #clusterScoped: ReadonlyMap<string, TypeFilter>;
  readonly #namespaced = new NamespaceLookup<NamespaceFilters>();

  /** Tells the log of rules that can have no effect. */
  constructor(
    { clusterScoped, namespaced }: FilterPolicies,
    { types, rules, log }: { readonly types: ResourceFinder; readonly rules: ResourceRules; readonly log: Logger },
  ) {
    this.#clusterScoped = filtersByType(clusterScoped, { types, log, namespaced: false });
    for (const policy of namespaced) {
      const byType = filtersByType(policy.rules, { types, log, namespaced: true });
      const others = policy.rules.find(({ kinds }) => kinds.length === 0);
      const filters = { byType, forOthers: others && typeFilter(others) };
      for (const namespacePattern of policy.namespaces) {
        this.#namespaced.add(namespacePattern, filters);
        for (const kind of byType.keys()) {
          const type = types.find(kind);
          if (type && rules.excludes(type)) log.warn(excludedKind, { namespacePattern, kind });
        }
      }
    }
  }

  get hasNamespaced(): boolean {
    return !this.#namespaced.isEmpty;
  }

  /** The rule of a cluster-scoped type; without one the spec decides. */
  ofClusterScoped(groupResource: string): TypeFilter | undefined {
    return this.#clusterScoped.get(groupResource);
  }

  /** The rule of a type in a namespace; "none" where a policy names the namespace and not the type; else the spec decides. */
  ofNamespaced(groupResource: string, namespace: string): TypeFilter | "none" | undefined {
    const filters = this.#namespaced.find(namespace);
    return filters && (filters.byType.get(groupResource) ?? filters.forOthers ?? "none");
  }

  /** Whether an item may be in the backup as far as its name goes. */
  takesName(
    groupResource: string,
    { namespace, name }: { readonly namespace: string; readonly name: string },
  ): boolean {
    const filter = namespace === "" ? this.ofClusterScoped(groupResource) : this.ofNamespaced(groupResource, namespace);
    return filter === undefined || filter === "none" || filter.names.shouldInclude(name);
  }
}

/** Whether one of the filter's selectors matches; a filter without any takes all. */
export function takesLabels({ selectors }: TypeFilter, labels: Labels): boolean {
  return selectors.length === 0 || selectors.some((selector) => matchesLabels(selector, labels));
}

// These count as warnings of the backup, so they are in Velero's words.
const excludedKind =
  "namespacedFilterPolicies entry lists a kind that is globally excluded by includeExcludePolicy; the per-namespace filter entry has no effect";
const unknownKind = (kind: string) =>
  `Cannot resolve kind via discovery, using as-is: no matches for /, Resource=${kind.toLowerCase()}`;
const otherScope = (kind: string, namespaced: boolean) =>
  namespaced
    ? `kind "${kind}" in namespacedFilterPolicies is cluster-scoped; it will never match in a namespace-scoped filter — did you mean clusterScopedFilterPolicy?`
    : `kind "${kind}" in clusterScopedFilterPolicy is namespace-scoped; it will never match in a cluster-scoped filter — did you mean namespacedFilterPolicies?`;

function filtersByType(
  rules: readonly ResourceRule[],
  { types, log, namespaced }: { readonly types: ResourceFinder; readonly log: Logger; readonly namespaced: boolean },
): ReadonlyMap<string, TypeFilter> {
  const byType = new Map<string, TypeFilter>();
  for (const rule of rules) {
    const filter = typeFilter(rule);
    for (const kind of rule.kinds) {
      const type = types.find(kind.toLowerCase());
      if (!type) log.warn(unknownKind(kind), { kind });
      else if (type.namespaced !== namespaced) log.warn(otherScope(kind, namespaced), { kind });
      byType.set(type ? groupResourceOf(type) : kind, filter);
    }
  }
  return byType;
}

function typeFilter({ selectors, names, excludedNames }: ResourceRule): TypeFilter {
  return { selectors, names: includesExcludes({ includes: names, excludes: excludedNames }) };
}
