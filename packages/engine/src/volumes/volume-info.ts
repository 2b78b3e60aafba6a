import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { sortedByKey } from "../layout/go-json.ts";
import { record, text } from "../policies/volume-facts.ts";
import type { SkippedVolume } from "./skipped-volumes.ts";
import type { SnapshotPhase, StoredSnapshot } from "./stored-snapshot.ts";

/** What happened to one volume, as the file `…-volumeinfo.json.gz` holds it, keys in its order. */
export interface StoredVolumeInfo {
  readonly pvcName?: string;
  readonly pvcNamespace?: string;
  readonly pvName?: string;
  readonly backupMethod?: "NativeSnapshot" | "PodVolumeBackup" | "CSISnapshot";
  readonly snapshotDataMoved: boolean;
  readonly preserveLocalSnapshot: boolean;
  readonly skipped: boolean;
  readonly skippedReason?: string;
  readonly startTimestamp?: string;
  readonly completionTimestamp?: string;
  readonly result?: "succeeded" | "failed";
  readonly csiSnapshotInfo?: Readonly<Record<string, unknown>>;
  readonly snapshotDataMovementInfo?: Readonly<Record<string, unknown>>;
  readonly nativeSnapshotInfo?: {
    readonly snapshotHandle: string;
    readonly volumeType: string;
    readonly volumeAZ: string;
    readonly iops: string;
    readonly Phase: SnapshotPhase;
  };
  readonly pvbInfo?: Readonly<Record<string, unknown>>;
  readonly pvInfo?: { readonly reclaimPolicy: string; readonly labels: Readonly<Record<string, string>> | null };
}

/** The volumes that were backed up as items; only these appear in the file. */
export class VolumeItems {
  readonly #volumes = new Map<string, Pick<StoredVolumeInfo, "pvcName" | "pvcNamespace" | "pvName" | "pvInfo">>();

  add(volume: KubernetesObject): void {
    const spec = record(volume["spec"]);
    const claim = record(spec["claimRef"]);
    const { name, labels } = volume.metadata;
    this.#volumes.set(name, {
      ...(text(claim["name"]) === "" ? {} : { pvcName: text(claim["name"]) }),
      ...(text(claim["namespace"]) === "" ? {} : { pvcNamespace: text(claim["namespace"]) }),
      pvName: name,
      pvInfo: {
        reclaimPolicy: text(spec["persistentVolumeReclaimPolicy"]),
        labels: labels ? sortedByKey(labels) : null,
      },
    });
  }

  get(name: string) {
    return this.#volumes.get(name);
  }
}

export interface VolumeInfoInput {
  readonly volumes: VolumeItems;
  readonly skipped: readonly SkippedVolume[];
  readonly snapshots: readonly StoredSnapshot[];
  /** Told about a volume that is in no backed-up item. */
  readonly onUnknown: (volumeName: string) => void;
}

/** The content of the volume info file: skipped volumes first, then native snapshots. */
export function volumeInfos({ volumes, skipped, snapshots, onUnknown }: VolumeInfoInput): StoredVolumeInfo[] {
  const infos: StoredVolumeInfo[] = [];
  for (const { name, reasons } of skipped) {
    const item = volumes.get(name);
    if (!item) onUnknown(name);
    else infos.push(skippedInfo(item, reasons.map(({ approach, reason }) => `${approach}: ${reason};`).join("")));
  }
  for (const snapshot of snapshots) {
    const item = volumes.get(snapshot.spec.persistentVolumeName);
    if (!item) onUnknown(snapshot.spec.persistentVolumeName);
    else infos.push(snapshotInfo(item, snapshot));
  }
  return infos;
}

type Item = NonNullable<ReturnType<VolumeItems["get"]>>;

function skippedInfo({ pvInfo, ...names }: Item, skippedReason: string): StoredVolumeInfo {
  return {
    ...names,
    snapshotDataMoved: false,
    preserveLocalSnapshot: false,
    skipped: true,
    skippedReason,
    ...(pvInfo ? { pvInfo } : {}),
  };
}

function snapshotInfo({ pvInfo, ...names }: Item, snapshot: StoredSnapshot): StoredVolumeInfo {
  return {
    ...names,
    backupMethod: "NativeSnapshot",
    snapshotDataMoved: false,
    preserveLocalSnapshot: false,
    skipped: false,
    ...snapshotResult(snapshot),
    ...(pvInfo ? { pvInfo } : {}),
  };
}

/** The members that depend on the snapshot's phase. One that still runs has no result yet. */
export function snapshotResult({
  spec,
  status,
}: StoredSnapshot): Pick<StoredVolumeInfo, "result" | "nativeSnapshotInfo"> {
  return {
    ...(status.phase === "New" ? {} : { result: status.phase === "Completed" ? "succeeded" : "failed" }),
    nativeSnapshotInfo: {
      snapshotHandle: status.providerSnapshotID ?? "",
      volumeType: spec.volumeType,
      volumeAZ: spec.volumeAZ ?? "",
      iops: String(spec.volumeIOPS ?? 0),
      Phase: status.phase,
    },
  };
}
