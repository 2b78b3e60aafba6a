import { type GrpcService, grpcService } from "@jibe/go-plugin";
import type { Backup } from "../contracts/index.ts";
import { BackupItemAction as V1 } from "../gen/generated/backup_item_action_pb.ts";
import { BackupItemAction as V2 } from "../gen/v2/backup_item_action_pb.ts";
import { objectAsBytes, objectFromBytes } from "../wire/kubernetes-json.ts";
import { progressAsMessage } from "../wire/progress-message.ts";
import { identifiersAsMessages, selectorAsMessage } from "../wire/resource-messages.ts";
import type { ServedPlugins } from "./served-plugins.ts";

export function backupItemActionServices(plugins: ServedPlugins): readonly GrpcService[] {
  return [
    grpcService(V1, {
      async appliesTo({ plugin }, call) {
        const action = plugins.find("BackupItemAction", plugin);
        return { ResourceSelector: selectorAsMessage(await action.appliesTo(plugins.scope(plugin, call))) };
      },
      async execute({ plugin, item, backup }, call) {
        const action = plugins.find("BackupItemAction", plugin);
        const output = await action.execute(
          objectFromBytes(item, "item"),
          backupFrom(backup),
          plugins.scope(plugin, call),
        );
        return {
          item: objectAsBytes(output.item, "the returned item"),
          additionalItems: identifiersAsMessages(output.additionalItems),
        };
      },
    }),
    grpcService(V2, {
      async appliesTo({ plugin }, call) {
        const action = plugins.find("BackupItemActionV2", plugin);
        return { ResourceSelector: selectorAsMessage(await action.appliesTo(plugins.scope(plugin, call))) };
      },
      async execute({ plugin, item, backup }, call) {
        const action = plugins.find("BackupItemActionV2", plugin);
        const output = await action.execute(
          objectFromBytes(item, "item"),
          backupFrom(backup),
          plugins.scope(plugin, call),
        );
        return {
          item: objectAsBytes(output.item, "the returned item"),
          additionalItems: identifiersAsMessages(output.additionalItems),
          operationID: output.operationId ?? "",
          postOperationItems: identifiersAsMessages(output.itemsToUpdate),
        };
      },
      async progress({ plugin, operationID, backup }, call) {
        const action = plugins.find("BackupItemActionV2", plugin);
        const progress = await action.progress(operationID, backupFrom(backup), plugins.scope(plugin, call));
        return { progress: progressAsMessage(progress) };
      },
      async cancel({ plugin, operationID, backup }, call) {
        const action = plugins.find("BackupItemActionV2", plugin);
        await action.cancel(operationID, backupFrom(backup), plugins.scope(plugin, call));
        return {};
      },
    }),
  ];
}

function backupFrom(bytes: Uint8Array): Backup {
  return objectFromBytes<Backup>(bytes, "backup");
}
