import type { LabelSelector } from "@jibe/base";
import type { HookErrorMode, HookStatus, LocalObjectReference } from "./backup.ts";
import type { KubernetesObject } from "./kubernetes-object.ts";

export type RestorePhase =
  | "New"
  | "FailedValidation"
  | "InProgress"
  | "WaitingForPluginOperations"
  | "WaitingForPluginOperationsPartiallyFailed"
  | "Finalizing"
  | "FinalizingPartiallyFailed"
  | "Completed"
  | "PartiallyFailed"
  | "Failed";

export interface ExecRestoreHook {
  container?: string;
  command: string[];
  onError?: HookErrorMode;
  execTimeout?: string;
  waitTimeout?: string;
  waitForReady?: boolean | null;
}

export interface InitRestoreHook {
  initContainers?: Record<string, unknown>[];
  timeout?: string;
}

export interface RestoreResourceHookSpec {
  name: string;
  includedNamespaces?: string[];
  excludedNamespaces?: string[];
  includedResources?: string[];
  excludedResources?: string[];
  labelSelector?: LabelSelector;
  postHooks?: { exec?: ExecRestoreHook; init?: InitRestoreHook }[];
}

/** What to restore, from which backup, and how. */
export interface RestoreSpec {
  backupName?: string;
  scheduleName?: string;
  includedNamespaces?: string[];
  excludedNamespaces?: string[];
  includedResources?: string[];
  excludedResources?: string[];
  namespaceMapping?: Record<string, string>;
  labelSelector?: LabelSelector | null;
  orLabelSelectors?: LabelSelector[];
  restorePVs?: boolean | null;
  restoreStatus?: { includedResources?: string[]; excludedResources?: string[] } | null;
  preserveNodePorts?: boolean | null;
  includeClusterResources?: boolean | null;
  hooks?: { resources?: RestoreResourceHookSpec[] };
  existingResourcePolicy?: string;
  itemOperationTimeout?: string;
  resourceModifier?: LocalObjectReference;
  resourcePolicy?: LocalObjectReference;
  uploaderConfig?: { writeSparseFiles?: boolean | null; parallelFilesDownload?: number };
  /** Asks to stop the run. An addition to Velero's fields; the annotation `jibe.io/cancel` means the same. */
  cancel?: boolean;
}

export interface RestoreStatus {
  phase?: RestorePhase;
  validationErrors?: string[];
  warnings?: number;
  errors?: number;
  failureReason?: string;
  startTimestamp?: string;
  completionTimestamp?: string;
  progress?: { totalItems?: number; itemsRestored?: number };
  restoreItemOperationsAttempted?: number;
  restoreItemOperationsCompleted?: number;
  restoreItemOperationsFailed?: number;
  hookStatus?: HookStatus;
}

/** The Restore resource (`velero.io/v1`). */
export interface Restore extends KubernetesObject {
  spec: RestoreSpec;
  status?: RestoreStatus;
}
