import { AppError, type Scope } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { readGzippedJson } from "../layout/go-json.ts";
import { backupKeys } from "../layout/object-keys.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import { textAt, valueAt } from "./object-edits.ts";

/** A snapshot that a VolumeSnapshotter took. */
export interface NativeSnapshot {
  readonly location: string;
  readonly persistentVolumeName: string;
  readonly providerSnapshotID: string;
  readonly phase: string;
  readonly volumeType: string;
  readonly volumeAZ: string;
  readonly volumeIOPS?: number;
}

/** A volume of a backup, as its volume info file has it. */
export interface BackupVolumeInfo {
  readonly pvcName: string;
  readonly pvcNamespace: string;
  readonly pvName: string;
  readonly backupMethod: string;
  readonly snapshotDataMoved: boolean;
  readonly pvInfo?: { readonly reclaimPolicy: string; readonly labels: Readonly<Record<string, string>> };
}

/** A volume of a pod that was backed up from its files. */
export interface PodVolume {
  readonly namespace: string;
  readonly pod: string;
  readonly volume: string;
  /** Empty when the volume belongs to no claim. */
  readonly claim: string;
}

/** What a backup knows of volumes, from its side files; older backups have only some of them. */
export interface BackupVolumes {
  readonly infos: readonly BackupVolumeInfo[];
  /** How a volume's data was taken: by its info, else by what older backups tell. */
  methodOf(volume: KubernetesObject): string | undefined;
  infoOfClaim(namespace: string, name: string): BackupVolumeInfo | undefined;
  snapshotOf(pvName: string): NativeSnapshot | undefined;
  podVolumes(namespace: string, pod: string): readonly PodVolume[];
}

/** Reads the side files. One that is damaged fails with `DataLoss`, one that is not there counts as empty. */
export async function readBackupVolumes(store: ObjectStore, backup: string, scope: Scope): Promise<BackupVolumes> {
  const keys = backupKeys(backup);
  const list = async (key: string): Promise<unknown[]> => {
    const content = (await readGzippedJson(store, key, scope)) ?? null;
    if (content === null) return [];
    if (!Array.isArray(content)) throw new AppError("DataLoss", `cannot read ${JSON.stringify(key)}: it is no list`);
    return content;
  };
  const infos = (await list(keys.volumeInfo)).map(infoFrom);
  const snapshots = (await list(keys.volumeSnapshots)).map(snapshotFrom);
  const podVolumes = (await list(keys.podVolumeBackups)).filter(hasPodVolumeData).map(podVolumeFrom);
  const csi = new Set((await list(keys.csiVolumeSnapshots)).map(claimOfVolumeSnapshot));
  const infoByVolume = new Map(infos.map((info) => [info.pvName, info]));
  const infoByClaim = new Map(infos.map((info) => [`${info.pvcNamespace}/${info.pvcName}`, info]));
  const podVolumesByPod = Map.groupBy(podVolumes, ({ namespace, pod }) => `${namespace}/${pod}`);
  const claimsInPods = new Set(podVolumes.map(({ namespace, claim }) => `${namespace}/${claim}`));
  const snapshotByVolume = new Map(snapshots.map((snapshot) => [snapshot.persistentVolumeName, snapshot]));
  return {
    infos,
    methodOf(volume) {
      const { name } = volume.metadata;
      const info = infoByVolume.get(name);
      if (info) return info.backupMethod;
      if (snapshotByVolume.has(name)) return "NativeSnapshot";
      const namespace = textAt(volume, "spec", "claimRef", "namespace");
      const claim = textAt(volume, "spec", "claimRef", "name");
      if (claim === "") return undefined;
      if (claimsInPods.has(`${namespace}/${claim}`)) return "PodVolumeBackup";
      return csi.has(`${namespace}/${claim}`) ? "CSISnapshot" : undefined;
    },
    infoOfClaim: (namespace, name) => infoByClaim.get(`${namespace}/${name}`),
    snapshotOf: (pvName) => snapshotByVolume.get(pvName),
    podVolumes: (namespace, pod) => podVolumesByPod.get(`${namespace}/${pod}`) ?? [],
  };
}

function infoFrom(value: unknown): BackupVolumeInfo {
  const pvInfo = valueAt(value, "pvInfo");
  const labels = valueAt(pvInfo, "labels") ?? {};
  return {
    pvcName: textAt(value, "pvcName"),
    pvcNamespace: textAt(value, "pvcNamespace"),
    pvName: textAt(value, "pvName"),
    backupMethod: textAt(value, "backupMethod"),
    snapshotDataMoved: valueAt(value, "snapshotDataMoved") === true,
    ...(pvInfo
      ? { pvInfo: { reclaimPolicy: textAt(pvInfo, "reclaimPolicy"), labels: labels as Record<string, string> } }
      : {}),
  };
}

function snapshotFrom(value: unknown): NativeSnapshot {
  const iops = valueAt(value, "spec", "volumeIOPS");
  return {
    location: textAt(value, "spec", "location"),
    persistentVolumeName: textAt(value, "spec", "persistentVolumeName"),
    providerSnapshotID: textAt(value, "status", "providerSnapshotID"),
    phase: textAt(value, "status", "phase"),
    volumeType: textAt(value, "spec", "volumeType"),
    volumeAZ: textAt(value, "spec", "volumeAZ"),
    ...(typeof iops === "number" ? { volumeIOPS: iops } : {}),
  };
}

function hasPodVolumeData(value: unknown): boolean {
  return textAt(value, "status", "phase") === "Completed" && textAt(value, "status", "snapshotID") !== "";
}

function podVolumeFrom(value: unknown): PodVolume {
  return {
    namespace: textAt(value, "spec", "pod", "namespace"),
    pod: textAt(value, "spec", "pod", "name"),
    volume: textAt(value, "spec", "volume"),
    claim: textAt(value, "metadata", "annotations", "velero.io/pvc-name"),
  };
}

function claimOfVolumeSnapshot(value: unknown): string {
  return `${textAt(value, "metadata", "namespace")}/${textAt(value, "spec", "source", "persistentVolumeClaimName")}`;
}
