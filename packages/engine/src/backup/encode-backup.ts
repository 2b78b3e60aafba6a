import type { Backup } from "@jibe/plugin-sdk/contracts";
import { goJson, sortedByKey } from "../layout/go-json.ts";

const specKeys = [
  "metadata",
  "includedNamespaces",
  "excludedNamespaces",
  "includedResources",
  "excludedResources",
  "includedClusterScopedResources",
  "excludedClusterScopedResources",
  "includedNamespaceScopedResources",
  "excludedNamespaceScopedResources",
  "labelSelector",
  "orLabelSelectors",
  "snapshotVolumes",
  "ttl",
  "volumeGroupSnapshotLabelKey",
  "includeClusterResources",
  "hooks",
  "storageLocation",
  "volumeSnapshotLocations",
  "defaultVolumesToRestic",
  "defaultVolumesToFsBackup",
  "orderedResources",
  "csiSnapshotTimeout",
  "itemOperationTimeout",
  "resourcePolicy",
  "snapshotMoveData",
  "datamover",
  "uploaderConfig",
] as const;

const statusKeys = [
  "version",
  "formatVersion",
  "expiration",
  "phase",
  "queuePosition",
  "validationErrors",
  "startTimestamp",
  "completionTimestamp",
  "volumeSnapshotsAttempted",
  "volumeSnapshotsCompleted",
  "failureReason",
  "warnings",
  "errors",
  "progress",
  "csiVolumeSnapshotsAttempted",
  "csiVolumeSnapshotsCompleted",
  "backupItemOperationsAttempted",
  "backupItemOperationsCompleted",
  "backupItemOperationsFailed",
  "hookStatus",
] as const;

const metadataKeys = [
  "name",
  "generateName",
  "namespace",
  "selfLink",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "ownerReferences",
  "finalizers",
  "managedFields",
] as const;

/** Nested structs that Go writes even when they are empty. */
const specDefaults = { metadata: {}, ttl: "0s", hooks: {}, csiSnapshotTimeout: "0s", itemOperationTimeout: "0s" };

/**
 * The content of `velero-backup.json`: known keys in Velero's order, maps sorted, empty values left out, and after them whatever else the
 * object has.
 */
export function encodeBackup({ metadata, spec, status, ...rest }: Backup): string {
  const { kind: _kind, apiVersion: _apiVersion, ...more } = rest;
  const maps = {
    ...(metadata.labels ? { labels: sortedByKey(metadata.labels) } : {}),
    ...(metadata.annotations ? { annotations: sortedByKey(metadata.annotations) } : {}),
  };
  const { resourcePolicy: policy } = spec;
  const members = {
    ...(spec.orderedResources ? { orderedResources: sortedByKey(spec.orderedResources) } : {}),
    // the one key that Go writes although it is not set
    ...(policy ? { resourcePolicy: { apiGroup: policy.apiGroup ?? null, kind: policy.kind, name: policy.name } } : {}),
  };
  return goJson(
    {
      kind: "Backup",
      apiVersion: "velero.io/v1",
      metadata: inKeyOrder({ ...metadata, ...maps }, metadataKeys),
      spec: inKeyOrder({ ...specDefaults, ...spec, ...members }, specKeys),
      status: inKeyOrder({ ...status }, statusKeys),
      ...more,
    },
    { indent: 2 },
  );
}

function inKeyOrder(value: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  const known = new Set(keys);
  const order = [...keys, ...Object.keys(value).filter((key) => !known.has(key))];
  return Object.fromEntries(order.filter((key) => !isEmpty(value[key])).map((key) => [key, value[key]]));
}

/** What `omitempty` leaves out. A boolean is a pointer in these types, so `false` stays; so do nested objects. */
function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === "" || value === 0 || (Array.isArray(value) && value.length === 0)
  );
}
