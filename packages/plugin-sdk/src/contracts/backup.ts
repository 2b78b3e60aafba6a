import type { LabelSelector } from "@jibe/base";
import type { KubernetesObject } from "./kubernetes-object.ts";

export type BackupPhase =
  | "New"
  | "Queued"
  | "ReadyToStart"
  | "FailedValidation"
  | "InProgress"
  | "WaitingForPluginOperations"
  | "WaitingForPluginOperationsPartiallyFailed"
  | "Finalizing"
  | "FinalizingPartiallyFailed"
  | "Completed"
  | "PartiallyFailed"
  | "Failed"
  | "Deleting";

export type HookErrorMode = "Continue" | "Fail";

export interface ExecHook {
  container?: string;
  command: string[];
  onError?: HookErrorMode;
  /** Go duration text. */
  timeout?: string;
}

export interface BackupResourceHookSpec {
  name: string;
  includedNamespaces?: string[];
  excludedNamespaces?: string[];
  includedResources?: string[];
  excludedResources?: string[];
  labelSelector?: LabelSelector;
  pre?: { exec?: ExecHook }[];
  post?: { exec?: ExecHook }[];
}

/** A reference to an object in the server's own namespace. */
export interface LocalObjectReference {
  apiGroup?: string;
  kind: string;
  name: string;
}

/** What to back up. Durations are Go text (`720h0m0s`), times RFC 3339. */
export interface BackupSpec {
  metadata?: { labels?: Record<string, string> };
  includedNamespaces?: string[];
  excludedNamespaces?: string[];
  includedResources?: string[];
  excludedResources?: string[];
  includedClusterScopedResources?: string[];
  excludedClusterScopedResources?: string[];
  includedNamespaceScopedResources?: string[];
  excludedNamespaceScopedResources?: string[];
  includeClusterResources?: boolean | null;
  labelSelector?: LabelSelector | null;
  orLabelSelectors?: LabelSelector[];
  snapshotVolumes?: boolean | null;
  ttl?: string;
  volumeGroupSnapshotLabelKey?: string;
  hooks?: { resources?: BackupResourceHookSpec[] };
  storageLocation?: string;
  volumeSnapshotLocations?: string[];
  defaultVolumesToRestic?: boolean | null;
  defaultVolumesToFsBackup?: boolean | null;
  orderedResources?: Record<string, string>;
  csiSnapshotTimeout?: string;
  itemOperationTimeout?: string;
  resourcePolicy?: LocalObjectReference;
  snapshotMoveData?: boolean | null;
  datamover?: string;
  uploaderConfig?: { parallelFilesUpload?: number };
  /** Asks to stop the run. An addition to Velero's fields; the annotation `jibe.io/cancel` means the same. */
  cancel?: boolean;
}

export interface HookStatus {
  hooksAttempted?: number;
  hooksFailed?: number;
}

export interface BackupStatus {
  version?: number;
  formatVersion?: string;
  expiration?: string;
  phase?: BackupPhase;
  queuePosition?: number;
  validationErrors?: string[];
  startTimestamp?: string;
  completionTimestamp?: string;
  volumeSnapshotsAttempted?: number;
  volumeSnapshotsCompleted?: number;
  failureReason?: string;
  warnings?: number;
  errors?: number;
  progress?: { totalItems?: number; itemsBackedUp?: number };
  csiVolumeSnapshotsAttempted?: number;
  csiVolumeSnapshotsCompleted?: number;
  backupItemOperationsAttempted?: number;
  backupItemOperationsCompleted?: number;
  backupItemOperationsFailed?: number;
  hookStatus?: HookStatus;
}

/** The Backup resource (`velero.io/v1`). */
export interface Backup extends KubernetesObject {
  spec: BackupSpec;
  status?: BackupStatus;
}
