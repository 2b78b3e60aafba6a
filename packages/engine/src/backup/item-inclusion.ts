import type { Labels } from "@jibe/base";
import type { BackupFilters } from "../collect/backup-filters.ts";
import type { ResourceRules } from "../collect/resource-rules.ts";
import type { CollectedType } from "../collect/types-to-collect.ts";
import type { IncludesExcludes } from "../select/includes-excludes.ts";

/** What decides whether an item may be in a backup. */
export interface InclusionFacts {
  readonly of: CollectedType;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly deletionTimestamp?: string | undefined;
}

export interface InclusionRules {
  readonly namespaces: IncludesExcludes;
  readonly rules: ResourceRules;
  readonly filters?: BackupFilters | undefined;
}

export const excludeLabel = "velero.io/exclude-from-backup";

/** Why an item is left out; `undefined` when it belongs in. What must be included is only left out while it is being deleted. */
export function exclusionReason(
  { of, namespace, name, labels, deletionTimestamp }: InclusionFacts,
  { namespaces, rules, filters }: InclusionRules,
  { mustInclude }: { readonly mustInclude: boolean },
): string | undefined {
  if (!mustInclude) {
    if (labels[excludeLabel] === "true") return `item has label ${excludeLabel}=true`;
    if (namespace !== "" && !namespaces.shouldInclude(namespace)) return "its namespace is excluded";
    if (namespace === "" && of.groupResource !== "namespaces" && rules.excludes(of.type)) return "its type is excluded";
    if (namespace !== "" && !rules.includes(of.type)) return "its type is not included";
    if (filters && !filters.takesName(of.groupResource, { namespace, name }))
      return "its name matches no filter policy";
  }
  return deletionTimestamp === undefined ? undefined : "it is being deleted";
}
