import {
  boolean,
  duration,
  integer,
  labelSelector,
  list,
  localReference,
  map,
  nullable,
  object,
  oneOf,
  optionalBoolean,
  type Schema,
  string,
  strings,
  time,
} from "./schema.ts";

const onError = oneOf("Continue", "Fail");
const command: Schema = { type: "array", items: string, minItems: 1 };

const backupHooks: Schema = list(
  object({
    exec: object({ container: string, command, onError, timeout: duration }, ["command"]),
  }),
);

export const resourceFilters = {
  includedNamespaces: strings,
  excludedNamespaces: strings,
  includedResources: strings,
  excludedResources: strings,
} as const;

/** What `Backup.spec` and a Schedule's template hold. `cancel` is ours, the rest Velero's. */
export const backupSpec: Schema = object({
  metadata: object({ labels: map() }),
  ...resourceFilters,
  includedClusterScopedResources: strings,
  excludedClusterScopedResources: strings,
  includedNamespaceScopedResources: strings,
  excludedNamespaceScopedResources: strings,
  includeClusterResources: optionalBoolean,
  labelSelector,
  orLabelSelectors: nullable(list(labelSelector)),
  snapshotVolumes: optionalBoolean,
  ttl: duration,
  volumeGroupSnapshotLabelKey: string,
  hooks: object({
    resources: nullable(
      list(object({ name: string, ...resourceFilters, labelSelector, pre: backupHooks, post: backupHooks }, ["name"])),
    ),
  }),
  storageLocation: string,
  volumeSnapshotLocations: list(string),
  defaultVolumesToRestic: optionalBoolean,
  defaultVolumesToFsBackup: optionalBoolean,
  orderedResources: nullable(map()),
  csiSnapshotTimeout: duration,
  itemOperationTimeout: duration,
  resourcePolicy: localReference,
  snapshotMoveData: optionalBoolean,
  datamover: string,
  uploaderConfig: nullable(object({ parallelFilesUpload: integer })),
  cancel: boolean,
});

export const hookStatus: Schema = nullable(object({ hooksAttempted: integer, hooksFailed: integer }));

export const backupStatus: Schema = object({
  version: integer,
  formatVersion: string,
  expiration: time,
  phase: oneOf(
    "New",
    "Queued",
    "ReadyToStart",
    "FailedValidation",
    "InProgress",
    "WaitingForPluginOperations",
    "WaitingForPluginOperationsPartiallyFailed",
    "Finalizing",
    "FinalizingPartiallyFailed",
    "Completed",
    "PartiallyFailed",
    "Failed",
    "Deleting",
  ),
  queuePosition: integer,
  validationErrors: strings,
  startTimestamp: time,
  completionTimestamp: time,
  volumeSnapshotsAttempted: integer,
  volumeSnapshotsCompleted: integer,
  csiVolumeSnapshotsAttempted: integer,
  csiVolumeSnapshotsCompleted: integer,
  backupItemOperationsAttempted: integer,
  backupItemOperationsCompleted: integer,
  backupItemOperationsFailed: integer,
  failureReason: string,
  warnings: integer,
  errors: integer,
  progress: nullable(object({ totalItems: integer, itemsBackedUp: integer })),
  hookStatus,
});
