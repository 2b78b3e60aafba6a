import { hookStatus, resourceFilters } from "./backup-schema.ts";
import {
  anything,
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

const execHook: Schema = object(
  {
    container: string,
    command: { type: "array", items: string, minItems: 1 },
    onError: oneOf("Continue", "Fail"),
    execTimeout: duration,
    waitTimeout: duration,
    waitForReady: optionalBoolean,
  },
  ["command"],
);

export const restoreSpec: Schema = object({
  backupName: string,
  scheduleName: string,
  ...resourceFilters,
  namespaceMapping: map(),
  labelSelector,
  orLabelSelectors: nullable(list(labelSelector)),
  restorePVs: optionalBoolean,
  restoreStatus: nullable(object({ includedResources: strings, excludedResources: strings })),
  preserveNodePorts: optionalBoolean,
  includeClusterResources: optionalBoolean,
  hooks: object({
    resources: list(
      object(
        {
          name: string,
          ...resourceFilters,
          labelSelector,
          postHooks: list(
            object({ exec: execHook, init: object({ initContainers: list(anything), timeout: duration }) }),
          ),
        },
        ["name"],
      ),
    ),
  }),
  existingResourcePolicy: nullable(string),
  itemOperationTimeout: duration,
  resourceModifier: localReference,
  resourcePolicy: localReference,
  uploaderConfig: nullable(object({ writeSparseFiles: optionalBoolean, parallelFilesDownload: integer })),
  cancel: boolean,
});

export const restoreStatus: Schema = object({
  phase: oneOf(
    "New",
    "FailedValidation",
    "InProgress",
    "WaitingForPluginOperations",
    "WaitingForPluginOperationsPartiallyFailed",
    "Completed",
    "PartiallyFailed",
    "Failed",
    "Finalizing",
    "FinalizingPartiallyFailed",
  ),
  validationErrors: strings,
  warnings: integer,
  errors: integer,
  failureReason: string,
  startTimestamp: time,
  completionTimestamp: time,
  progress: nullable(object({ totalItems: integer, itemsRestored: integer })),
  restoreItemOperationsAttempted: integer,
  restoreItemOperationsCompleted: integer,
  restoreItemOperationsFailed: integer,
  hookStatus,
});
