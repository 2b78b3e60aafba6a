import type { Scope } from "@jibe/base";
import type {
  CreateSnapshotInput,
  CreateVolumeInput,
  KubernetesObject,
  OperationProgress,
  VolumeInfo,
  VolumeSnapshotterV1,
} from "../contracts/index.ts";
import type { Awaitable, Plugin } from "../plugin.ts";

interface Snapshotter {
  /** Runs before anything else, often many times. */
  init(config: Readonly<Record<string, string>>, scope: Scope): Awaitable<void>;
  createVolumeFromSnapshot(input: CreateVolumeInput, scope: Scope): Awaitable<string>;
  getVolumeInfo(volume: { volumeId: string; volumeAZ: string }, scope: Scope): Awaitable<VolumeInfo>;
  /** The new snapshot's ID. */
  createSnapshot(input: CreateSnapshotInput, scope: Scope): Awaitable<string>;
  deleteSnapshot(snapshotId: string, scope: Scope): Awaitable<void>;
  /** The volume behind a persistent volume, or an empty string when it is not this snapshotter's. */
  getVolumeId(persistentVolume: KubernetesObject, scope: Scope): Awaitable<string>;
  setVolumeId(persistentVolume: KubernetesObject, volumeId: string, scope: Scope): Awaitable<KubernetesObject>;
}

/** A snapshotter whose snapshots are complete when `createSnapshot` returns. */
export interface VolumeSnapshotterDefinition extends Snapshotter {
  readonly progress?: never;
  readonly cancel?: never;
}

/**
 * A snapshotter whose snapshots may still be in the making when `createSnapshot` returns. Under a host that knows version 1
 * alone, such as Velero, the SDK waits for the end before it answers.
 */
export interface AsyncVolumeSnapshotterDefinition extends Snapshotter {
  progress(snapshotId: string, scope: Scope): Awaitable<OperationProgress>;
  cancel(snapshotId: string, scope: Scope): Awaitable<void>;
}

/** Makes a VolumeSnapshotter of plain functions: version 2 if it has `progress` and `cancel`, else version 1. */
export function volumeSnapshotter(definition: VolumeSnapshotterDefinition | AsyncVolumeSnapshotterDefinition): Plugin {
  const contract: VolumeSnapshotterV1 = {
    init: async (config, scope) => await definition.init(config, scope),
    createVolumeFromSnapshot: async (input, scope) => await definition.createVolumeFromSnapshot(input, scope),
    getVolumeInfo: async (volume, scope) => await definition.getVolumeInfo(volume, scope),
    createSnapshot: async (input, scope) => await definition.createSnapshot(input, scope),
    deleteSnapshot: async (snapshotId, scope) => await definition.deleteSnapshot(snapshotId, scope),
    getVolumeId: async (volume, scope) => await definition.getVolumeId(volume, scope),
    setVolumeId: async (volume, volumeId, scope) => await definition.setVolumeId(volume, volumeId, scope),
  };
  if (!definition.progress) return { kind: "VolumeSnapshotter", contract };
  return {
    kind: "VolumeSnapshotterV2",
    contract: {
      ...contract,
      progress: async (snapshotId, scope) => await definition.progress(snapshotId, scope),
      cancel: async (snapshotId, scope) => await definition.cancel(snapshotId, scope),
    },
  };
}
