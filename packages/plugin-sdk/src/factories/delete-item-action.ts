import type { Scope } from "@jibe/base";
import type { Backup, KubernetesObject } from "../contracts/index.ts";
import { type AppliesTo, type Awaitable, appliesToFunction, type Plugin } from "../plugin.ts";

export interface DeleteItemActionDefinition<Item extends KubernetesObject = KubernetesObject> {
  readonly appliesTo?: AppliesTo;
  execute(item: Item, backup: Backup, scope: Scope): Awaitable<void>;
}

/** Makes a DeleteItemAction of plain functions: it runs on each matching item of a backup that is being deleted. */
export function deleteItemAction<Item extends KubernetesObject = KubernetesObject>(
  definition: DeleteItemActionDefinition<Item>,
): Plugin {
  return {
    kind: "DeleteItemAction",
    contract: {
      appliesTo: appliesToFunction(definition.appliesTo),
      execute: async (item, backup, scope) => await definition.execute(item as Item, backup, scope),
    },
  };
}
