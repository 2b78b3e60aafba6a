import { AppError, forEachConcurrent, hasCode, messageOf, type Scope } from "@jibe/base";
import type { KubernetesObject, Restore } from "@jibe/plugin-sdk/contracts";
import type { RestoreOperation } from "../operations/item-operation.ts";
import type { ObjectName, ResourceType } from "../ports/cluster.ts";
import type { BackupVolumeInfo } from "./backup-volumes.ts";
import { textAt } from "./object-edits.ts";
import { pollUntil } from "./poll-until.ts";
import type { RestorePorts } from "./restore-request.ts";

export interface ProvisionedVolumes {
  readonly restore: Restore;
  readonly infos: readonly BackupVolumeInfo[];
  /** The restore's resource list. */
  readonly resourceList: Readonly<Record<string, readonly string[]>>;
  readonly operations: readonly RestoreOperation[];
  readonly timeoutMs: number;
}

type Ports = Pick<RestorePorts, "cluster" | "clock">;

/**
 * Gives volumes that the cluster made anew the labels and reclaim policy of those they replace, once claim and volume are bound. Returns
 * an error for each that could not be.
 */
export async function patchProvisionedVolumes(
  volumes: ProvisionedVolumes,
  ports: Ports,
  scope: Scope,
): Promise<readonly { readonly namespace: string; readonly message: string }[]> {
  const { restore, infos, resourceList } = volumes;
  const mapping = new Map(Object.entries(restore.spec.namespaceMapping ?? {}));
  const restored = new Set(
    (resourceList["v1/PersistentVolumeClaim"] ?? [])
      .filter((entry) => entry.endsWith("(created)"))
      .map((entry) => entry.slice(0, -"(created)".length)),
  );
  const errors: { namespace: string; message: string }[] = [];
  const wanted = infos
    .filter(({ backupMethod, pvInfo }) => pvInfo && ["PodVolumeBackup", "CSISnapshot"].includes(backupMethod))
    .map((info) => ({ info, namespace: mapping.get(info.pvcNamespace) ?? info.pvcNamespace }))
    .filter(({ info, namespace }) => restored.has(`${namespace}/${info.pvcName}`));
  const each = async ({ info, namespace }: (typeof wanted)[number], inner: Scope) => {
    const { clock } = ports;
    const fail = (why: string) => {
      const message = `fail to patch dynamic PV, err: ${why}, PVC: ${info.pvcName}, PV: ${info.pvName}`;
      errors.push({ namespace, message });
    };
    try {
      const isDone = () => patchWhenBound(volumes, { info, namespace }, ports, inner);
      const limits = { clock, timeoutMs: volumes.timeoutMs, firstDelayMs: 1000, maxDelayMs: 10_000 };
      if (!(await pollUntil(isDone, limits, inner))) fail("timed out waiting for claim and volume to be bound");
    } catch (error) {
      inner.signal.throwIfAborted();
      fail(messageOf(error));
    }
  };
  await forEachConcurrent(wanted, { limit: 8, each }, scope);
  return errors;
}

/** True once there is nothing more to do. */
async function patchWhenBound(
  { operations }: ProvisionedVolumes,
  { info, namespace }: { readonly info: BackupVolumeInfo; readonly namespace: string },
  ports: Ports,
  scope: Scope,
): Promise<boolean> {
  const claim = await find(ports, claimType, { namespace, name: info.pvcName }, scope);
  if (!claim) return false;
  if (isUnderWay(operations, namespace, info.pvcName) || (await waitsForConsumer(claim, ports, scope))) return true;
  const volumeName = textAt(claim, "spec", "volumeName");
  if (textAt(claim, "status", "phase") !== "Bound" || volumeName === "") return false;
  const volume = await find(ports, volumeType, { name: volumeName }, scope);
  if (!volume || textAt(volume, "status", "phase") !== "Bound") return false;
  const owner = `${textAt(volume, "spec", "claimRef", "namespace")}/${textAt(volume, "spec", "claimRef", "name")}`;
  if (owner !== `${namespace}/${info.pvcName}`) {
    throw new AppError("Conflict", `PV ${volumeName} was bound by unexpected PVC ${owner}`);
  }
  const { labels = {}, reclaimPolicy = "" } = info.pvInfo ?? {};
  const lacks = Object.entries(labels).some(([key, value]) => volume.metadata.labels?.[key] !== value);
  if (!lacks && textAt(volume, "spec", "persistentVolumeReclaimPolicy") === reclaimPolicy) return true;
  const patch = { metadata: { labels }, spec: { persistentVolumeReclaimPolicy: reclaimPolicy } };
  await ports.cluster.patch(volumeType, { name: volumeName, patch, patchType: "merge" }, scope);
  return true;
}

function isUnderWay(operations: readonly RestoreOperation[], namespace: string, name: string): boolean {
  return operations.some(
    ({ spec: { restoreItemAction, resourceIdentifier: id }, status }) =>
      restoreItemAction === "velero.io/csi-pvc-restorer" &&
      id.Resource === "persistentvolumeclaims" &&
      id.Namespace === namespace &&
      id.Name === name &&
      status.phase !== "Completed",
  );
}

/** A claim whose volume is only made when a pod comes may stay pending for ever. */
async function waitsForConsumer(claim: KubernetesObject, ports: Ports, scope: Scope): Promise<boolean> {
  const className = textAt(claim, "spec", "storageClassName");
  if (textAt(claim, "status", "phase") !== "Pending" || className === "") return false;
  const storageClass = await find(ports, classType, { name: className }, scope);
  return textAt(storageClass, "volumeBindingMode") === "WaitForFirstConsumer";
}

async function find(
  { cluster }: Ports,
  type: ResourceType,
  name: ObjectName,
  scope: Scope,
): Promise<KubernetesObject | undefined> {
  try {
    return (await cluster.get(type, name, scope)).object;
  } catch (error) {
    scope.signal.throwIfAborted();
    if (hasCode(error, "NotFound")) return undefined;
    throw error;
  }
}

const core = { group: "", version: "v1", verbs: [], shortNames: [], singular: "", subresources: [] };
const claimType: ResourceType = {
  ...core,
  resource: "persistentvolumeclaims",
  kind: "PersistentVolumeClaim",
  namespaced: true,
};
const volumeType: ResourceType = {
  ...core,
  resource: "persistentvolumes",
  kind: "PersistentVolume",
  namespaced: false,
};
const classType: ResourceType = {
  ...core,
  group: "storage.k8s.io",
  resource: "storageclasses",
  kind: "StorageClass",
  namespaced: false,
};
