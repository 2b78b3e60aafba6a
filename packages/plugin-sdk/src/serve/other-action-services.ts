import { type GrpcService, grpcService } from "@jibe/go-plugin";
import type { Backup } from "../contracts/index.ts";
import { DeleteItemAction } from "../gen/generated/delete_item_action_pb.ts";
import { ItemBlockAction } from "../gen/v1/item_block_action_pb.ts";
import { objectFromBytes } from "../wire/kubernetes-json.ts";
import { identifiersAsMessages, selectorAsMessage } from "../wire/resource-messages.ts";
import type { ServedPlugins } from "./served-plugins.ts";

export function deleteItemActionService(plugins: ServedPlugins): GrpcService {
  return grpcService(DeleteItemAction, {
    async appliesTo({ plugin }, call) {
      const action = plugins.find("DeleteItemAction", plugin);
      return { ResourceSelector: selectorAsMessage(await action.appliesTo(plugins.scope(plugin, call))) };
    },
    async execute({ plugin, item, backup }, call) {
      const action = plugins.find("DeleteItemAction", plugin);
      const parsed = objectFromBytes<Backup>(backup, "backup");
      await action.execute(objectFromBytes(item, "item"), parsed, plugins.scope(plugin, call));
      return {};
    },
  });
}

export function itemBlockActionService(plugins: ServedPlugins): GrpcService {
  return grpcService(ItemBlockAction, {
    async appliesTo({ plugin }, call) {
      const action = plugins.find("ItemBlockAction", plugin);
      return { ResourceSelector: selectorAsMessage(await action.appliesTo(plugins.scope(plugin, call))) };
    },
    async getRelatedItems({ plugin, item, backup }, call) {
      const action = plugins.find("ItemBlockAction", plugin);
      const parsed = objectFromBytes<Backup>(backup, "backup");
      const related = await action.getRelatedItems(objectFromBytes(item, "item"), parsed, plugins.scope(plugin, call));
      return { relatedItems: identifiersAsMessages(related) };
    },
  });
}
