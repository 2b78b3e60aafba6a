import type { GrpcChannel } from "@jibe/go-plugin";
import type { VolumeSnapshotterV1, VolumeSnapshotterV2 } from "../contracts/index.ts";
import { VolumeSnapshotter as V1 } from "../gen/generated/volume_snapshotter_pb.ts";
import { VolumeSnapshotter as V2 } from "../gen/v2/volume_snapshotter_pb.ts";
import { objectAsBytes, objectFromBytes } from "./kubernetes-json.ts";
import { progressFromMessage } from "./progress-message.ts";

/** A VolumeSnapshotter of version 1 at the end of a connection. */
export function remoteVolumeSnapshotterV1(channel: GrpcChannel, plugin: string): VolumeSnapshotterV1 {
  return remote(V1.method, channel, plugin);
}

/** A VolumeSnapshotter of version 2 at the end of a connection. */
export function remoteVolumeSnapshotterV2(channel: GrpcChannel, plugin: string): VolumeSnapshotterV2 {
  return {
    ...remote(V2.method, channel, plugin),
    async progress(snapshotID, scope) {
      const { progress } = await channel.unary(V2.method.progress, { plugin, snapshotID }, scope);
      return progressFromMessage(progress);
    },
    async cancel(snapshotId, scope) {
      await channel.unary(V2.method.cancel, { plugin, operationID: snapshotId }, scope);
    },
  };
}

/** The methods both versions have, with the same messages. */
function remote(
  method: typeof V1.method | typeof V2.method,
  channel: GrpcChannel,
  plugin: string,
): VolumeSnapshotterV1 {
  return {
    async init(config, scope) {
      await channel.unary(method.init, { plugin, config: { ...config } }, scope);
    },
    async createVolumeFromSnapshot({ snapshotId, volumeType, volumeAZ, iops = 0 }, scope) {
      const request = { plugin, snapshotID: snapshotId, volumeType, volumeAZ, iops: BigInt(iops) };
      const { volumeID } = await channel.unary(method.createVolumeFromSnapshot, request, scope);
      return volumeID;
    },
    async getVolumeInfo({ volumeId, volumeAZ }, scope) {
      const request = { plugin, volumeID: volumeId, volumeAZ };
      const { volumeType, iops } = await channel.unary(method.getVolumeInfo, request, scope);
      return iops > 0n ? { volumeType, iops: Number(iops) } : { volumeType };
    },
    async createSnapshot({ volumeId, volumeAZ, tags }, scope) {
      const request = { plugin, volumeID: volumeId, volumeAZ, tags: { ...tags } };
      const { snapshotID } = await channel.unary(method.createSnapshot, request, scope);
      return snapshotID;
    },
    async deleteSnapshot(snapshotID, scope) {
      await channel.unary(method.deleteSnapshot, { plugin, snapshotID }, scope);
    },
    async getVolumeId(volume, scope) {
      const persistentVolume = objectAsBytes(volume, "persistent volume");
      const { volumeID } = await channel.unary(method.getVolumeID, { plugin, persistentVolume }, scope);
      return volumeID;
    },
    async setVolumeId(volume, volumeID, scope) {
      const persistentVolume = objectAsBytes(volume, "persistent volume");
      const response = await channel.unary(method.setVolumeID, { plugin, persistentVolume, volumeID }, scope);
      return objectFromBytes(response.persistentVolume, "the persistent volume that the plugin returned");
    },
  };
}
