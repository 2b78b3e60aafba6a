import { AppError, type Scope } from "@jibe/base";
import type { OperationPlugin, RestoreOperation, RunPlugins } from "@jibe/engine";
import type { Restore } from "../../api/resources.ts";

/** Finds the item action behind an operation of a restore. */
export function restoreOperationPlugin(restore: Restore, plugins: RunPlugins): OperationPlugin<RestoreOperation> {
  const actionOf = async ({ spec }: RestoreOperation, scope: Scope) => {
    const found = (await plugins.restoreActions(scope)).find(({ name }) => name === spec.restoreItemAction);
    // An operation whose plugin was taken away cannot be asked about any more.
    if (!found)
      throw new AppError("Unsupported", `plugin ${JSON.stringify(spec.restoreItemAction)} is not installed any more`);
    return found;
  };
  return {
    pluginOf: ({ spec }) => spec.restoreItemAction,
    progress: async (operation, scope) =>
      (await actionOf(operation, scope)).progress(operation.spec.operationID, restore, scope),
    cancel: async (operation, scope) =>
      (await actionOf(operation, scope)).cancel(operation.spec.operationID, restore, scope),
  };
}
