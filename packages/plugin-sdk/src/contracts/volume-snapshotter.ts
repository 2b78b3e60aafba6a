import type { Scope } from "@jibe/base";
import type { KubernetesObject } from "./kubernetes-object.ts";
import type { OperationProgress } from "./operation-progress.ts";

export interface VolumeInfo {
  readonly volumeType: string;
  /** Absent when the volume has none. */
  readonly iops?: number;
}

export interface CreateVolumeInput {
  readonly snapshotId: string;
  readonly volumeType: string;
  readonly volumeAZ: string;
  readonly iops?: number;
}

export interface CreateSnapshotInput {
  readonly volumeId: string;
  readonly volumeAZ: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** Version 1: a snapshot is complete when `createSnapshot` returns. `init` runs before anything else, often many times. */
export interface VolumeSnapshotterV1 {
  init(config: Readonly<Record<string, string>>, scope: Scope): Promise<void>;
  createVolumeFromSnapshot(input: CreateVolumeInput, scope: Scope): Promise<string>;
  getVolumeInfo(volume: { volumeId: string; volumeAZ: string }, scope: Scope): Promise<VolumeInfo>;
  createSnapshot(input: CreateSnapshotInput, scope: Scope): Promise<string>;
  deleteSnapshot(snapshotId: string, scope: Scope): Promise<void>;
  /** The volume behind a persistent volume, or an empty string when it is not this snapshotter's. */
  getVolumeId(persistentVolume: KubernetesObject, scope: Scope): Promise<string>;
  setVolumeId(persistentVolume: KubernetesObject, volumeId: string, scope: Scope): Promise<KubernetesObject>;
}

/** Version 2: `createSnapshot` may return while the snapshot is still being made; its ID is the operation's ID. */
export interface VolumeSnapshotterV2 extends VolumeSnapshotterV1 {
  progress(snapshotId: string, scope: Scope): Promise<OperationProgress>;
  cancel(snapshotId: string, scope: Scope): Promise<void>;
}
