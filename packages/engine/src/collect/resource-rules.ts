import type { BackupSpec } from "@jibe/plugin-sdk/contracts";
import type { IncludeExcludePolicy } from "../policies/resource-policies.ts";
import { type Discovery, groupResourceOf, type ResourceType } from "../ports/cluster.ts";
import { type IncludesExcludes, includesExcludes } from "../select/includes-excludes.ts";
import { resolveResourceName, resourceFilter } from "../select/resource-filter.ts";

/** Which resource types belong to a backup. */
export interface ResourceRules {
  /** Whether the type's items are collected. */
  includes(type: ResourceType): boolean;
  /**
   * Whether the type is ruled out even for items that an action asks for. Less than "not included": a cluster-scoped type that
   * nobody listed may still come along with an item.
   */
  excludes(type: ResourceType): boolean;
}

export interface ResourceRulesInput {
  readonly spec: BackupSpec;
  readonly discovery: Discovery;
  readonly namespaces: IncludesExcludes;
  readonly policy?: IncludeExcludePolicy | undefined;
}

/** Whether the spec filters with includedResources, excludedResources or includeClusterResources. */
export function usesOldFilters({ includedResources, excludedResources, includeClusterResources }: BackupSpec): boolean {
  return isSet(includedResources) || isSet(excludedResources) || isBoolean(includeClusterResources);
}

/** Whether the spec filters with any of the four lists by scope. */
export function usesScopedFilters(spec: BackupSpec): boolean {
  return (
    isSet(spec.includedClusterScopedResources) ||
    isSet(spec.excludedClusterScopedResources) ||
    isSet(spec.includedNamespaceScopedResources) ||
    isSet(spec.excludedNamespaceScopedResources)
  );
}

const isSet = (list: readonly string[] | undefined) => (list?.length ?? 0) > 0;
const isBoolean = (value: unknown): value is boolean => typeof value === "boolean";

export function resourceRules(input: ResourceRulesInput): ResourceRules {
  return usesOldFilters(input.spec) ? oldRules(input) : scopedRules(input);
}

function oldRules({ spec, discovery, namespaces }: ResourceRulesInput): ResourceRules {
  const filter = resourceFilter({ includes: spec.includedResources, excludes: spec.excludedResources }, discovery);
  const clusterFlag = isBoolean(spec.includeClusterResources) ? spec.includeClusterResources : undefined;
  return {
    includes(type) {
      if (!type.namespaced && clusterFlag === false) return false;
      const automatic = !type.namespaced && clusterFlag === undefined && !isNamespaces(type);
      if (automatic && !namespaces.includesEverything()) return false;
      return filter.shouldInclude(groupResourceOf(type));
    },
    excludes(type) {
      const name = groupResourceOf(type);
      if (filter.isExcluded(name)) return true;
      if (type.namespaced) return false;
      return clusterFlag === false || (clusterFlag === undefined && !filter.shouldInclude(name));
    },
  };
}

function scopedRules({ spec, discovery, namespaces, policy }: ResourceRulesInput): ResourceRules {
  const inScope = (scope: "NamespaceScoped" | "ClusterScoped") => {
    const isNamespaced = scope === "NamespaceScoped";
    const names = (list: readonly string[] = []) => list.flatMap((name) => scopedName(name, isNamespaced, discovery));
    const listsOf = (filters: BackupSpec | IncludeExcludePolicy = {}) => ({
      includes: names(filters[`included${scope}Resources`]),
      excludes: names(filters[`excluded${scope}Resources`]),
    });
    return withPolicy(includesExcludes(listsOf(spec)), listsOf(policy));
  };
  const namespaced = inScope("NamespaceScoped");
  const cluster = inScope("ClusterScoped");
  const wholeCluster =
    cluster.includes.length === 0 &&
    cluster.excludes.length === 0 &&
    namespaces.includesEverything() &&
    namespaced.includesEverything();
  return {
    includes(type) {
      const name = groupResourceOf(type);
      if (type.namespaced) return namespaced.shouldInclude(name);
      if (cluster.isExcluded(name)) return false;
      return wholeCluster || cluster.isListed(name) || isNamespaces(type);
    },
    excludes: (type) => (type.namespaced ? namespaced : cluster).isExcluded(groupResourceOf(type)),
  };
}

/** A name of the other scope is dropped; one that nobody knows stays, so that a list of unknown names selects nothing. */
function scopedName(name: string, namespaced: boolean, discovery: Discovery): string[] {
  if (name === "*") return [name];
  const type = discovery.find(name);
  return type && type.namespaced !== namespaced ? [] : [resolveResourceName(name, discovery)];
}

/** What the spec says wins: an entry of the policy is added only where the spec is silent, excludes first. */
function withPolicy(
  spec: IncludesExcludes,
  policy: { readonly includes: readonly string[]; readonly excludes: readonly string[] },
): IncludesExcludes {
  const isNew = (name: string) => !spec.isListed(name) && !spec.isExcluded(name);
  const excludes = policy.excludes.filter(isNew);
  const includes = policy.includes.filter((name) => isNew(name) && !excludes.includes(name));
  if (includes.length === 0 && excludes.length === 0) return spec;
  return includesExcludes({
    includes: [...spec.includes, ...includes],
    excludes: [...spec.excludes, ...excludes],
  });
}

function isNamespaces({ group, resource }: ResourceType): boolean {
  return group === "" && resource === "namespaces";
}
