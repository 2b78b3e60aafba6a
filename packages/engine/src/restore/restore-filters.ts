import { type LabelSelector, matchesLabels } from "@jibe/base";
import type { RestoreSpec } from "@jibe/plugin-sdk/contracts";
import { type IncludesExcludes, includesExcludes } from "../select/includes-excludes.ts";
import { type ResourceFinder, resourceFilter } from "../select/resource-filter.ts";
import type { FilteredItems, FilterRules, ItemFilter } from "./filter-rules.ts";

/** What a Restore's spec selects. Namespaces are the original ones throughout. */
export interface RestoreFilters {
  /** Whether an item may be restored at all; asked of additional items too. */
  allows(groupResource: string, namespace: string): boolean;
  /** Whether the items of a type in a namespace (empty: cluster-scoped) are restored without being asked for. */
  selects(groupResource: string, namespace: string): boolean;
  /** Which of the items of a type in a namespace that is selected are restored; `undefined` for none, "all" for all of them. */
  itemFilter(items: FilteredItems): Promise<ItemFilter | "all" | undefined>;
  /** Whether the spec asks for the status of a type. */
  restoresStatus(groupResource: string): boolean;
  targetNamespace(namespace: string): string;
}

/** Types that other actions need: no filter holds them back. */
const mustHaveTypes: ReadonlySet<string> = new Set([
  "datauploads.velero.io",
  "volumesnapshotcontents.snapshot.storage.k8s.io",
]);

/** The filters of a spec, and the policies that stand in for its selectors where they have a rule. */
export function restoreFilters(spec: RestoreSpec, types: ResourceFinder, policies?: FilterRules): RestoreFilters {
  const resources = resourceFilter({ includes: spec.includedResources, excludes: spec.excludedResources }, types);
  const namespaces = includesExcludes({ includes: spec.includedNamespaces, excludes: spec.excludedNamespaces });
  const status: IncludesExcludes | undefined = spec.restoreStatus
    ? resourceFilter(
        { includes: spec.restoreStatus.includedResources, excludes: spec.restoreStatus.excludedResources },
        types,
      )
    : undefined;
  const selectors: readonly LabelSelector[] = spec.labelSelector ? [spec.labelSelector] : (spec.orLabelSelectors ?? []);
  const bySpec = selectors.length === 0 ? "all" : selectorFilter(selectors);
  const mapping = new Map(Object.entries(spec.namespaceMapping ?? {}));
  const allows = (groupResource: string, namespace: string) => {
    if (!resources.shouldInclude(groupResource) && !mustHaveTypes.has(groupResource)) return false;
    if (namespace === "") return spec.includeClusterResources !== false;
    return namespaces.shouldInclude(namespace) || mustHaveTypes.has(groupResource);
  };
  return {
    allows,
    selects: (groupResource, namespace) =>
      allows(groupResource, namespace) &&
      (namespace !== "" || spec.includeClusterResources === true || namespaces.includesEverything()),
    async itemFilter(items) {
      if (mustHaveTypes.has(items.groupResource)) return "all";
      const decision = policies ? await policies.decide(items) : undefined;
      if (decision?.kind === "none") return undefined;
      return decision?.kind === "filter" ? decision.filter : bySpec;
    },
    restoresStatus: (groupResource) => status?.shouldInclude(groupResource) ?? false,
    targetNamespace: (namespace) => mapping.get(namespace) ?? namespace,
  };
}

function selectorFilter(selectors: readonly LabelSelector[]): ItemFilter {
  return {
    needsLabels: true,
    matches: (_name, labels) => selectors.some((selector) => matchesLabels(selector, labels)),
  };
}
