import type { ServiceHandlers } from "@jibe/go-plugin";
import { type GrpcService, grpcService } from "@jibe/go-plugin";
import { VolumeSnapshotter as V1 } from "../gen/generated/volume_snapshotter_pb.ts";
import { VolumeSnapshotter as V2 } from "../gen/v2/volume_snapshotter_pb.ts";
import type { PluginContracts } from "../plugin.ts";
import { objectAsBytes, objectFromBytes } from "../wire/kubernetes-json.ts";
import { progressAsMessage } from "../wire/progress-message.ts";
import type { ServedPlugins } from "./served-plugins.ts";

export function volumeSnapshotterServices(plugins: ServedPlugins): readonly GrpcService[] {
  return [
    grpcService(V1, handlers("VolumeSnapshotter", plugins)),
    grpcService(V2, {
      ...handlers("VolumeSnapshotterV2", plugins),
      async progress({ plugin, snapshotID }, call) {
        const snapshotter = plugins.find("VolumeSnapshotterV2", plugin);
        return { progress: progressAsMessage(await snapshotter.progress(snapshotID, plugins.scope(plugin, call))) };
      },
      async cancel({ plugin, operationID }, call) {
        await plugins.find("VolumeSnapshotterV2", plugin).cancel(operationID, plugins.scope(plugin, call));
        return {};
      },
    }),
  ];
}

type Kind = "VolumeSnapshotter" | "VolumeSnapshotterV2";

/** The methods both versions have, with the same messages. */
function handlers(kind: Kind, plugins: ServedPlugins): ServiceHandlers<typeof V1> {
  const find = (name: string): PluginContracts[Kind] => plugins.find(kind, name);
  return {
    async init({ plugin, config }, call) {
      await find(plugin).init(config, plugins.scope(plugin, call));
      return {};
    },
    async createVolumeFromSnapshot({ plugin, snapshotID, volumeType, volumeAZ, iops }, call) {
      const input = { snapshotId: snapshotID, volumeType, volumeAZ, ...(iops > 0n && { iops: Number(iops) }) };
      return { volumeID: await find(plugin).createVolumeFromSnapshot(input, plugins.scope(plugin, call)) };
    },
    async getVolumeInfo({ plugin, volumeID, volumeAZ }, call) {
      const info = await find(plugin).getVolumeInfo({ volumeId: volumeID, volumeAZ }, plugins.scope(plugin, call));
      return { volumeType: info.volumeType, iops: BigInt(info.iops ?? 0) };
    },
    async createSnapshot({ plugin, volumeID, volumeAZ, tags }, call) {
      const input = { volumeId: volumeID, volumeAZ, tags };
      return { snapshotID: await find(plugin).createSnapshot(input, plugins.scope(plugin, call)) };
    },
    async deleteSnapshot({ plugin, snapshotID }, call) {
      await find(plugin).deleteSnapshot(snapshotID, plugins.scope(plugin, call));
      return {};
    },
    async getVolumeID({ plugin, persistentVolume }, call) {
      const volume = objectFromBytes(persistentVolume, "persistent volume");
      return { volumeID: await find(plugin).getVolumeId(volume, plugins.scope(plugin, call)) };
    },
    async setVolumeID({ plugin, persistentVolume, volumeID }, call) {
      const volume = objectFromBytes(persistentVolume, "persistent volume");
      const changed = await find(plugin).setVolumeId(volume, volumeID, plugins.scope(plugin, call));
      return { persistentVolume: objectAsBytes(changed, "the returned persistent volume") };
    },
  };
}
