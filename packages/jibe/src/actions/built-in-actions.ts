import type { BackupAction, BlockAction, Cluster, DeleteAction, RestoreAction } from "@jibe/engine";
import type { BackupItemActionV1, ItemBlockAction, RestoreItemActionV1 } from "@jibe/plugin-sdk/contracts";
import { crdRemapVersion } from "./backup/crd-remap-version.ts";
import { backupPod } from "./backup/pod.ts";
import { backupPv } from "./backup/pv.ts";
import { backupServiceAccount } from "./backup/service-account.ts";
import { blockPod } from "./block/pod.ts";
import { blockPvc } from "./block/pvc.ts";
import { blockServiceAccount } from "./block/service-account.ts";
import { ClusterReads } from "./cluster-reads.ts";
import { inProcessBackupAction, inProcessBlockAction, inProcessRestoreAction } from "./in-process-action.ts";
import { addPvcFromPod } from "./restore/add-pvc-from-pod.ts";
import { restoreAdmissionWebhookConfiguration } from "./restore/admission-webhook-configuration.ts";
import { restoreApiService } from "./restore/apiservice.ts";
import { changeImageName } from "./restore/change-image-name.ts";
import { changeStorageClass } from "./restore/change-storage-class.ts";
import { restoreCrdPreserveFields } from "./restore/crd-preserve-fields.ts";
import { initRestoreHook } from "./restore/init-restore-hook.ts";
import { restoreJob } from "./restore/job.ts";
import { restorePod } from "./restore/pod.ts";
import { podVolumeRestore } from "./restore/pod-volume-restore.ts";
import { restorePvc } from "./restore/pvc.ts";
import { restoreClusterRoleBindings, restoreRoleBindings } from "./restore/role-bindings.ts";
import { restoreSecret } from "./restore/secret.ts";
import { restoreService } from "./restore/service.ts";
import { restoreServiceAccount } from "./restore/service-account.ts";

export interface BuiltInActions {
  readonly backup: readonly BackupAction[];
  readonly block: readonly BlockAction[];
  readonly restore: readonly RestoreAction[];
  readonly delete: readonly DeleteAction[];
}

export interface BuiltInActionsOptions {
  readonly cluster: Cluster;
  /** The server's own namespace. */
  readonly namespace: string;
  readonly features: readonly string[];
}

/** The actions that need no plugin, in the order of execution. Make them anew for each run: they keep what they read of the cluster. */
export function builtInActions({ cluster, namespace, features }: BuiltInActionsOptions): BuiltInActions {
  const reads = new ClusterReads(cluster, namespace);
  // Every version of a definition is stored then, v1beta1 among them.
  const remapsDefinitions = !features.includes("EnableAPIGroupVersions");
  return {
    backup: inOrder(
      { ...(remapsDefinitions ? { "crd-remap-version": crdRemapVersion(reads) } : {}), ...backupActions(reads) },
      inProcessBackupAction,
    ),
    block: inOrder(blockActions(reads), inProcessBlockAction),
    restore: inOrder(restoreActions(reads), inProcessRestoreAction),
    delete: [],
  };
}

function backupActions(reads: ClusterReads): Record<string, BackupItemActionV1> {
  return { pod: backupPod, pv: backupPv, "service-account": backupServiceAccount(reads) };
}

function blockActions(reads: ClusterReads): Record<string, ItemBlockAction> {
  return { pod: blockPod, pvc: blockPvc(reads), "service-account": blockServiceAccount(reads) };
}

function restoreActions(reads: ClusterReads): Record<string, RestoreItemActionV1> {
  return {
    "add-pvc-from-pod": addPvcFromPod,
    "admission-webhook-configuration": restoreAdmissionWebhookConfiguration,
    apiservice: restoreApiService,
    "change-image-name": changeImageName(reads),
    "change-storage-class": changeStorageClass(reads),
    "cluster-role-bindings": restoreClusterRoleBindings,
    "crd-preserve-fields": restoreCrdPreserveFields,
    "init-restore-hook": initRestoreHook,
    job: restoreJob,
    pod: restorePod,
    "pod-volume-restore": podVolumeRestore,
    pvc: restorePvc,
    "role-bindings": restoreRoleBindings,
    secret: restoreSecret(reads),
    service: restoreService,
    "service-account": restoreServiceAccount,
  };
}

/** Velero runs its own actions in the order of their names. */
function inOrder<In, Out>(actions: Record<string, In>, adapt: (name: string, action: In) => Out): Out[] {
  return Object.keys(actions)
    .sort()
    .flatMap((key) => {
      const action = actions[key];
      return action === undefined ? [] : [adapt(`velero.io/${key}`, action)];
    });
}
