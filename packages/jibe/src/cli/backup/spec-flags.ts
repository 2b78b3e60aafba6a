import { AppError, formatGoDuration, type LabelSelector, parseLabelSelector } from "@jibe/base";
import type { BackupSpec } from "../../api/resources.ts";
import { type FlagValues, flag } from "../flags.ts";

/** Flags that say what a backup holds; `backup create` and `schedule create` share them. */
export const backupSpecFlags = {
  ttl: flag.duration("How long the backup is kept (0: the server's default)"),
  includeNamespaces: flag.list("Namespaces to include", ["*"]),
  excludeNamespaces: flag.list("Namespaces to exclude"),
  includeResources: flag.list("Resources to include, as resource.group, such as storageclasses.storage.k8s.io"),
  excludeResources: flag.list("Resources to exclude"),
  includeClusterScopedResources: flag.list("Cluster-scoped resources to include"),
  excludeClusterScopedResources: flag.list("Cluster-scoped resources to exclude"),
  includeNamespaceScopedResources: flag.list("Namespaced resources to include"),
  excludeNamespaceScopedResources: flag.list("Namespaced resources to exclude"),
  includeClusterResources: flag.optionalBoolean("Include cluster-scoped resources"),
  labels: flag.map("Labels to put on the backup"),
  annotations: flag.map("Annotations to put on the backup"),
  storageLocation: flag.string("Location to store the backup in"),
  volumeSnapshotLocations: flag.list("Locations of volume snapshots, at most one of a provider"),
  selector: flag.string("Only back up items that match this label selector", "", { short: "l" }),
  orSelector: flag.string('Back up items that match one of these: "a=b or c=d"'),
  orderedResources: flag.string('Order inside a type: "pods=ns1/pod1,ns1/pod2;persistentvolumes=pv4,pv8"'),
  csiSnapshotTimeout: flag.duration("How long to wait for a CSI snapshot (0: the server's default)"),
  itemOperationTimeout: flag.duration("How long asynchronous operations may take (0: the server's default)"),
  snapshotVolumes: flag.optionalBoolean("Take snapshots of persistent volumes"),
  snapshotMoveData: flag.optionalBoolean("Move the data of snapshots to the store"),
  dataMover: flag.string("Data mover to use"),
  defaultVolumesToFsBackup: flag.optionalBoolean("Back up pod volumes by file system unless they opt out"),
  resourcePoliciesConfigmap: flag.string("ConfigMap with resource policies"),
  parallelFilesUpload: flag.integer("Files to upload at once (0: the server's default)"),
} as const;

export type BackupSpecFlags = FlagValues<typeof backupSpecFlags>;

/** The spec that the flags describe. What is wrong with them is said before anything is sent. */
export async function backupSpecFrom(flags: BackupSpecFlags): Promise<BackupSpec> {
  await checkFilters(flags);
  const { selector, orSelector } = flags;
  if (selector !== "" && orSelector !== "") {
    throw new AppError("InvalidArgument", "use either --selector or --or-selector, not both");
  }
  return withoutEmpty({
    ttl: durationText(flags.ttl),
    includedNamespaces: [...flags.includeNamespaces],
    excludedNamespaces: [...flags.excludeNamespaces],
    includedResources: [...flags.includeResources],
    excludedResources: [...flags.excludeResources],
    includedClusterScopedResources: [...flags.includeClusterScopedResources],
    excludedClusterScopedResources: [...flags.excludeClusterScopedResources],
    includedNamespaceScopedResources: [...flags.includeNamespaceScopedResources],
    excludedNamespaceScopedResources: [...flags.excludeNamespaceScopedResources],
    includeClusterResources: flags.includeClusterResources,
    labelSelector: selector === "" ? undefined : selectorFrom(selector),
    orLabelSelectors: orSelectorsFrom(orSelector),
    snapshotVolumes: flags.snapshotVolumes,
    snapshotMoveData: flags.snapshotMoveData,
    datamover: flags.dataMover,
    storageLocation: flags.storageLocation,
    volumeSnapshotLocations: [...flags.volumeSnapshotLocations],
    defaultVolumesToFsBackup: flags.defaultVolumesToFsBackup,
    orderedResources: orderedResourcesFrom(flags.orderedResources),
    csiSnapshotTimeout: durationText(flags.csiSnapshotTimeout),
    itemOperationTimeout: durationText(flags.itemOperationTimeout),
    resourcePolicy: flags.resourcePoliciesConfigmap
      ? { kind: "configmap", name: flags.resourcePoliciesConfigmap }
      : undefined,
    uploaderConfig: flags.parallelFilesUpload > 0 ? { parallelFilesUpload: flags.parallelFilesUpload } : undefined,
  });
}

async function checkFilters(flags: BackupSpecFlags): Promise<void> {
  const { namespaceListErrors } = await import("@jibe/engine");
  const problems = namespaceListErrors({ includes: flags.includeNamespaces, excludes: flags.excludeNamespaces });
  if (problems.length > 0) throw new AppError("InvalidArgument", problems.join("; "));
  const old =
    [...flags.includeResources, ...flags.excludeResources].length > 0 || flags.includeClusterResources !== undefined;
  const scoped = [
    flags.includeClusterScopedResources,
    flags.excludeClusterScopedResources,
    flags.includeNamespaceScopedResources,
    flags.excludeNamespaceScopedResources,
  ].some((list) => list.length > 0);
  if (old && scoped) {
    throw new AppError(
      "InvalidArgument",
      "--include-resources, --exclude-resources and --include-cluster-resources cannot be used together with the flags for cluster-scoped and namespace-scoped resources",
    );
  }
}

/** The structured form of a selector's text, equalities as `matchLabels`. */
export function selectorFrom(text: string): LabelSelector {
  const { matchExpressions = [] } = parseLabelSelector(text);
  const equal = matchExpressions.filter(({ operator, values }) => operator === "In" && values?.length === 1);
  const others = matchExpressions.filter((requirement) => !equal.includes(requirement));
  return {
    ...(equal.length > 0
      ? { matchLabels: Object.fromEntries(equal.map(({ key, values }) => [key, values?.[0] ?? ""])) }
      : {}),
    ...(others.length > 0 ? { matchExpressions: others } : {}),
  };
}

export function orSelectorsFrom(text: string): LabelSelector[] | undefined {
  return text === "" ? undefined : text.split(" or ").map((part) => selectorFrom(part.trim()));
}

export function durationText(ms: number): string | undefined {
  return ms === 0 ? undefined : formatGoDuration(ms);
}

function orderedResourcesFrom(text: string): Record<string, string> | undefined {
  if (text === "") return undefined;
  const pairs = text.split(";").map((part): [string, string] => {
    const at = part.indexOf("=");
    if (at <= 0)
      throw new AppError(
        "InvalidArgument",
        `--ordered-resources: ${JSON.stringify(part)} must look like pods=ns1/pod1`,
      );
    return [part.slice(0, at).trim(), part.slice(at + 1).trim()];
  });
  return Object.fromEntries(pairs);
}

type Loose<T> = { [K in keyof T]?: T[K] | undefined };

/** Leaves out what was not asked for, so that the server's defaults apply. */
export function withoutEmpty<T extends object>(values: Loose<T>): T {
  const kept = Object.entries(values).filter(
    ([, value]) => value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(kept) as T;
}
