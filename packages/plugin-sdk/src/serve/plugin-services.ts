import { type GrpcService, grpcService } from "@jibe/go-plugin";
import { PluginLister } from "../gen/generated/plugin_lister_pb.ts";
import { backupItemActionServices } from "./backup-item-action-service.ts";
import { objectStoreService } from "./object-store-service.ts";
import { deleteItemActionService, itemBlockActionService } from "./other-action-services.ts";
import { restoreItemActionServices } from "./restore-item-action-service.ts";
import type { ServedPlugins } from "./served-plugins.ts";
import { volumeSnapshotterServices } from "./volume-snapshotter-service.ts";

/** Every service a host may call. `command` is what the host shall execute to run these plugins. */
export function pluginServices(plugins: ServedPlugins, command: string): readonly GrpcService[] {
  return [
    grpcService(PluginLister, {
      async listPlugins() {
        return { plugins: plugins.list().map(({ kind, name }) => ({ command, kind, name })) };
      },
    }),
    ...backupItemActionServices(plugins),
    ...restoreItemActionServices(plugins),
    ...volumeSnapshotterServices(plugins),
    objectStoreService(plugins),
    deleteItemActionService(plugins),
    itemBlockActionService(plugins),
  ];
}
