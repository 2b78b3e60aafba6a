import { type GrpcService, grpcService } from "@jibe/go-plugin";
import type { Restore, RestoreItemActionInput } from "../contracts/index.ts";
import { RestoreItemAction as V1 } from "../gen/generated/restore_item_action_pb.ts";
import { RestoreItemAction as V2 } from "../gen/v2/restore_item_action_pb.ts";
import { durationFromMs } from "../wire/duration-message.ts";
import { objectAsBytes, objectFromBytes } from "../wire/kubernetes-json.ts";
import { progressAsMessage } from "../wire/progress-message.ts";
import { identifiersAsMessages, identifiersFromMessages, selectorAsMessage } from "../wire/resource-messages.ts";
import type { ServedPlugins } from "./served-plugins.ts";

export function restoreItemActionServices(plugins: ServedPlugins): readonly GrpcService[] {
  return [
    grpcService(V1, {
      async appliesTo({ plugin }, call) {
        const action = plugins.find("RestoreItemAction", plugin);
        return { ResourceSelector: selectorAsMessage(await action.appliesTo(plugins.scope(plugin, call))) };
      },
      async execute(request, call) {
        const action = plugins.find("RestoreItemAction", request.plugin);
        const output = await action.execute(inputFrom(request), plugins.scope(request.plugin, call));
        return {
          item: objectAsBytes(output.item, "the returned item"),
          additionalItems: identifiersAsMessages(output.additionalItems),
          skipRestore: output.skipRestore ?? false,
        };
      },
    }),
    grpcService(V2, {
      async appliesTo({ plugin }, call) {
        const action = plugins.find("RestoreItemActionV2", plugin);
        return { ResourceSelector: selectorAsMessage(await action.appliesTo(plugins.scope(plugin, call))) };
      },
      async execute(request, call) {
        const action = plugins.find("RestoreItemActionV2", request.plugin);
        const output = await action.execute(inputFrom(request), plugins.scope(request.plugin, call));
        return {
          item: objectAsBytes(output.item, "the returned item"),
          additionalItems: identifiersAsMessages(output.additionalItems),
          skipRestore: output.skipRestore ?? false,
          operationID: output.operationId ?? "",
          waitForAdditionalItems: output.waitForAdditionalItems ?? false,
          additionalItemsReadyTimeout: durationFromMs(output.additionalItemsReadyTimeoutMs ?? 0),
        };
      },
      async progress({ plugin, operationID, restore }, call) {
        const action = plugins.find("RestoreItemActionV2", plugin);
        const progress = await action.progress(operationID, restoreFrom(restore), plugins.scope(plugin, call));
        return { progress: progressAsMessage(progress) };
      },
      async cancel({ plugin, operationID, restore }, call) {
        const action = plugins.find("RestoreItemActionV2", plugin);
        await action.cancel(operationID, restoreFrom(restore), plugins.scope(plugin, call));
        return {};
      },
      async areAdditionalItemsReady({ plugin, restore, additionalItems }, call) {
        const action = plugins.find("RestoreItemActionV2", plugin);
        const items = identifiersFromMessages(additionalItems);
        return {
          ready: await action.areAdditionalItemsReady(items, restoreFrom(restore), plugins.scope(plugin, call)),
        };
      },
    }),
  ];
}

function restoreFrom(bytes: Uint8Array): Restore {
  return objectFromBytes<Restore>(bytes, "restore");
}

function inputFrom(request: {
  readonly item: Uint8Array;
  readonly itemFromBackup: Uint8Array;
  readonly restore: Uint8Array;
}): RestoreItemActionInput {
  return {
    item: objectFromBytes(request.item, "item"),
    itemFromBackup: objectFromBytes(request.itemFromBackup, "item from the backup"),
    restore: restoreFrom(request.restore),
  };
}
