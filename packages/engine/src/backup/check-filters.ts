import type { BackupSpec } from "@jibe/plugin-sdk/contracts";
import { usesOldFilters, usesScopedFilters } from "../collect/resource-rules.ts";
import { includesExcludesErrors, namespaceListErrors, scopedIncludesExcludesErrors } from "../select/validate-lists.ts";

// Snapshots of volumes come with their claims, through actions; on their own they must not be collected.
const snapshots = "volumesnapshots.snapshot.storage.k8s.io";
const snapshotContents = "volumesnapshotcontents.snapshot.storage.k8s.io";

const mixedFilters =
  "include-resources, exclude-resources and include-cluster-resources are old filter parameters.\n" +
  "include-cluster-scoped-resources, exclude-cluster-scoped-resources, include-namespace-scoped-resources and " +
  "exclude-namespace-scoped-resources are new filter parameters.\nThey cannot be used together";

const twoSelectors = "encountered labelSelector as well as orLabelSelectors in backup spec, only one can be specified";

/** Checks a spec's filters and gives it with the lists that the run uses. Lists with errors stay as they were. */
export function checkFilters(spec: BackupSpec): { readonly spec: BackupSpec; readonly errors: readonly string[] } {
  const mixed = usesOldFilters(spec) && usesScopedFilters(spec) ? [mixedFilters] : [];
  const resources = usesOldFilters(spec) ? checkOldLists(spec) : checkScopedLists(spec);
  const includedNamespaces = spec.includedNamespaces?.length ? spec.includedNamespaces : ["*"];
  const namespaces = namespaceListErrors({ includes: includedNamespaces, excludes: spec.excludedNamespaces });
  const selectors = spec.orLabelSelectors && spec.labelSelector ? [twoSelectors] : [];
  return {
    spec: withoutEmptyLists({ ...spec, ...resources.lists, includedNamespaces }),
    errors: [
      ...mixed,
      ...resources.errors,
      ...namespaces.map((text) => `Invalid included/excluded namespace lists: ${text}`),
      ...selectors,
    ],
  };
}

/** An empty list means the same as none, and Velero writes none. */
function withoutEmptyLists(spec: BackupSpec): BackupSpec {
  const entries = Object.entries(spec).filter(([, value]) => !Array.isArray(value) || value.length > 0);
  return Object.fromEntries(entries) as BackupSpec;
}

type Lists = Partial<BackupSpec>;

function checkOldLists(spec: BackupSpec): { lists: Lists; errors: string[] } {
  const { includedResources: includes = [], excludedResources: excludes = [] } = spec;
  const errors = includesExcludesErrors({ includes, excludes });
  if (errors.length > 0) {
    return { lists: {}, errors: errors.map((text) => `Invalid included/excluded resource lists: ${text}`) };
  }
  const lists = withExcludes({ includes, excludes }, [snapshots, snapshotContents]);
  return { lists: { includedResources: lists.includes, excludedResources: lists.excludes }, errors: [] };
}

function checkScopedLists(spec: BackupSpec): { lists: Lists; errors: string[] } {
  const cluster = checkScope(
    { includes: spec.includedClusterScopedResources ?? [], excludes: spec.excludedClusterScopedResources ?? [] },
    "cluster-scoped",
    snapshotContents,
  );
  const namespaced = checkScope(
    { includes: spec.includedNamespaceScopedResources ?? [], excludes: spec.excludedNamespaceScopedResources ?? [] },
    "namespace-scoped",
    snapshots,
  );
  return {
    lists: {
      includedClusterScopedResources: cluster.includes,
      excludedClusterScopedResources: cluster.excludes,
      includedNamespaceScopedResources: namespaced.includes,
      excludedNamespaceScopedResources: namespaced.excludes,
    },
    errors: [...cluster.errors, ...namespaced.errors],
  };
}

interface FilterLists {
  readonly includes: string[];
  readonly excludes: string[];
}

function checkScope(lists: FilterLists, scope: string, added: string): FilterLists & { errors: string[] } {
  const errors = scopedIncludesExcludesErrors(lists);
  if (errors.length === 0) return { ...withExcludes(lists, [added]), errors: [] };
  return { ...lists, errors: errors.map((text) => `Invalid ${scope} included/excluded resource lists: ${text}`) };
}

/** Adds excludes; an include that is now excluded is dropped. */
function withExcludes({ includes, excludes }: FilterLists, added: readonly string[]): FilterLists {
  const all = [...excludes, ...added.filter((name) => !excludes.includes(name))];
  return { includes: includes.filter((name) => !all.includes(name)), excludes: all };
}
