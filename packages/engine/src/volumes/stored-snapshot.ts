export type SnapshotPhase = "New" | "Completed" | "Failed";

/** One native snapshot, as the file `…-volumesnapshots.json.gz` holds it, keys in its order. */
export interface StoredSnapshot {
  readonly spec: {
    readonly backupName: string;
    readonly backupUID: string;
    readonly location: string;
    readonly persistentVolumeName: string;
    readonly providerVolumeID: string;
    readonly volumeType: string;
    readonly volumeAZ?: string;
    readonly volumeIOPS?: number;
  };
  readonly status: {
    readonly providerSnapshotID?: string;
    readonly phase: SnapshotPhase;
  };
}
