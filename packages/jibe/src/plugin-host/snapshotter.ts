import type { Snapshotter } from "@jibe/engine";
import type { GrpcChannel } from "@jibe/go-plugin";
import type { VolumeSnapshotterV1 } from "@jibe/plugin-sdk/contracts";
import { remoteVolumeSnapshotterV1, remoteVolumeSnapshotterV2 } from "@jibe/plugin-sdk/wire";
import { type ExecutableForConfig, initializedPlugin } from "./initialized-plugin.ts";
import type { HostLimits } from "./settings.ts";

interface Source {
  readonly name: string;
  readonly limits: HostLimits;
  readonly executableFor: ExecutableForConfig;
}

/** An external VolumeSnapshotter of version 2: its snapshots are operations. */
export function snapshotterV2(source: Source): Snapshotter {
  const { name } = source;
  const remote = (channel: GrpcChannel) => remoteVolumeSnapshotterV2(channel, name);
  const { snapshotter, calls } = base("VolumeSnapshotterV2", source, remote);
  return {
    ...snapshotter,
    name,
    asynchronous: true,
    progress: (snapshotId, scope) =>
      calls.call("Progress", (channel, inner) => remote(channel).progress(snapshotId, inner), scope),
    cancel: (snapshotId, scope) =>
      calls.call("Cancel", (channel, inner) => remote(channel).cancel(snapshotId, inner), scope),
  };
}

/** A version 1 snapshotter where version 2 is expected: a snapshot is complete once it has an ID. */
export function snapshotterV1(source: Source): Snapshotter {
  const { name } = source;
  const { snapshotter } = base("VolumeSnapshotter", source, (channel) => remoteVolumeSnapshotterV1(channel, name));
  return {
    ...snapshotter,
    name,
    asynchronous: false,
    progress: async () => ({ completed: true }),
    cancel: async () => {},
  };
}

function base(
  kind: "VolumeSnapshotter" | "VolumeSnapshotterV2",
  { name, limits, executableFor }: Source,
  remote: (channel: GrpcChannel) => VolumeSnapshotterV1,
) {
  const plugin = initializedPlugin(
    { name, kind, limits, init: (channel, config, scope) => remote(channel).init(config, scope) },
    executableFor,
  );
  const { calls } = plugin;
  const snapshotter: VolumeSnapshotterV1 = {
    init: (config, scope) => plugin.init(config, scope),
    // Version 1 plugins answer when the snapshot or volume is made, which may take as long as an action's execute.
    createVolumeFromSnapshot: (input, scope) =>
      calls.longCall(
        "CreateVolumeFromSnapshot",
        (channel, inner) => remote(channel).createVolumeFromSnapshot(input, inner),
        scope,
      ),
    createSnapshot: (input, scope) =>
      calls.longCall("CreateSnapshot", (channel, inner) => remote(channel).createSnapshot(input, inner), scope),
    getVolumeInfo: (volume, scope) =>
      calls.call("GetVolumeInfo", (channel, inner) => remote(channel).getVolumeInfo(volume, inner), scope),
    deleteSnapshot: (snapshotId, scope) =>
      calls.call("DeleteSnapshot", (channel, inner) => remote(channel).deleteSnapshot(snapshotId, inner), scope),
    getVolumeId: (volume, scope) =>
      calls.call("GetVolumeID", (channel, inner) => remote(channel).getVolumeId(volume, inner), scope),
    setVolumeId: (volume, volumeId, scope) =>
      calls.call("SetVolumeID", (channel, inner) => remote(channel).setVolumeId(volume, volumeId, inner), scope),
  };
  return { snapshotter, calls };
}
