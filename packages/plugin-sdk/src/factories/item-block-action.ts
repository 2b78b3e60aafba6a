import type { Scope } from "@jibe/base";
import type { Backup, KubernetesObject, ResourceIdentifier } from "../contracts/index.ts";
import { type AppliesTo, type Awaitable, appliesToFunction, type Plugin } from "../plugin.ts";

export interface ItemBlockActionDefinition<Item extends KubernetesObject = KubernetesObject> {
  readonly appliesTo?: AppliesTo;
  getRelatedItems(item: Item, backup: Backup, scope: Scope): Awaitable<readonly ResourceIdentifier[]>;
}

/** Makes an ItemBlockAction of plain functions: it names the items to be backed up in one block with an item. */
export function itemBlockAction<Item extends KubernetesObject = KubernetesObject>(
  definition: ItemBlockActionDefinition<Item>,
): Plugin {
  return {
    kind: "ItemBlockAction",
    contract: {
      appliesTo: appliesToFunction(definition.appliesTo),
      getRelatedItems: async (item, backup, scope) => await definition.getRelatedItems(item as Item, backup, scope),
    },
  };
}
