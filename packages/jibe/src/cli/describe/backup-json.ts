import { globalPoliciesAnnotation } from "@jibe/engine";
import { selectorText } from "../print/selector.ts";
import { goTime } from "../print/time.ts";
import type { BackupStory } from "./backup.ts";
import { listText, triState } from "./description.ts";
import type { VolumeInfo } from "./volumes.ts";

/** A description for programs. The keys that Velero has are the same; failure reason, operations and volumes are added. */
export function backupAsJson({ backup, files, deletions, details }: BackupStory): object {
  const { metadata, spec, status = {} } = backup;
  const { name, namespace, labels = {}, annotations = {} } = metadata;
  return {
    metadata: { annotations, labels, name, namespace },
    phase: status.phase ?? "New",
    ...(status.failureReason ? { failureReason: status.failureReason } : {}),
    ...(spec.resourcePolicy
      ? { resourcePolicies: { type: spec.resourcePolicy.kind, name: spec.resourcePolicy.name } }
      : {}),
    ...(annotations[globalPoliciesAnnotation]
      ? { globalVolumePolicies: { type: "configmap", name: annotations[globalPoliciesAnnotation] } }
      : {}),
    ...(status.validationErrors?.length ? { validationErrors: status.validationErrors } : {}),
    ...(status.errors ? { errors: files.results?.errors ?? status.errors } : {}),
    ...(status.warnings ? { warnings: files.results?.warnings ?? status.warnings } : {}),
    spec: specAsJson(backup.spec),
    status: statusAsJson({ backup, files, deletions, details }),
    ...(deletions.length > 0
      ? {
          deletionAttempts: {
            failed: deletions.filter(({ status: own }) => (own?.errors?.length ?? 0) > 0).length,
            deleteBackupRequests: deletions.map((request) => ({
              creationTimestamp: goTime(request.metadata.creationTimestamp),
              phase: request.status?.phase ?? "New",
              ...(request.status?.errors?.length ? { errors: request.status.errors } : {}),
            })),
          },
        }
      : {}),
  };
}

function specAsJson(spec: BackupStory["backup"]["spec"]): object {
  const cluster = spec.includeClusterResources;
  return {
    namespaces: { included: listText(spec.includedNamespaces, "*"), excluded: listText(spec.excludedNamespaces) },
    resources: {
      included: listText(spec.includedResources, "*"),
      excluded: listText(spec.excludedResources),
      clusterScoped: cluster === undefined || cluster === null ? "auto" : cluster ? "included" : "excluded",
    },
    labelSelector: selectorText(spec.labelSelector),
    storageLocation: spec.storageLocation ?? "",
    veleroNativeSnapshotPVs: triState(spec.snapshotVolumes),
    veleroSnapshotMoveData: triState(spec.snapshotMoveData),
    dataMover: spec.datamover || "<none>",
    TTL: spec.ttl ?? "0s",
    CSISnapshotTimeout: spec.csiSnapshotTimeout ?? "0s",
    ...(spec.hooks?.resources?.length ? { hooks: spec.hooks } : {}),
    ...(spec.orderedResources ? { orderedResources: spec.orderedResources } : {}),
  };
}

function statusAsJson({ backup, files, details }: BackupStory): object {
  const { status = {} } = backup;
  const running = status.phase === "InProgress";
  const { totalItems = 0, itemsBackedUp = 0 } = status.progress ?? {};
  return {
    backupFormatVersion: status.formatVersion ?? "",
    started: goTime(status.startTimestamp, "<n/a>"),
    completed: goTime(status.completionTimestamp, "<n/a>"),
    expiration: goTime(status.expiration),
    ...(status.progress === undefined
      ? {}
      : running
        ? { estimatedTotalItemsToBeBackedUp: totalItems, itemsBackedUpSoFar: itemsBackedUp }
        : { totalItemsToBeBackedUp: totalItems, itemsBackedUp }),
    ...(status.backupItemOperationsAttempted
      ? {
          backupItemOperations: files.operations ?? {
            attempted: status.backupItemOperationsAttempted,
            completed: status.backupItemOperationsCompleted ?? 0,
            failed: status.backupItemOperationsFailed ?? 0,
          },
        }
      : {}),
    ...(details ? { resourceList: files.resourceList ?? "<resource list not found>" } : {}),
    backupVolumes: volumesAsJson(files.volumes ?? []),
    ...(status.hookStatus
      ? { hooksAttempted: status.hookStatus.hooksAttempted ?? 0, hooksFailed: status.hookStatus.hooksFailed ?? 0 }
      : {}),
  };
}

function volumesAsJson(volumes: readonly VolumeInfo[]): object {
  const by = (method: string) => {
    const own = volumes.filter(({ backupMethod }) => backupMethod === method);
    return own.length > 0 ? own : "<none included>";
  };
  return {
    nativeSnapshots: by("NativeSnapshot"),
    csiSnapshots: by("CSISnapshot"),
    podVolumeBackups: by("PodVolumeBackup"),
  };
}
