import { messageOf, type Scope } from "@jibe/base";
import {
  isRunning,
  type ObjectStore,
  type RestoreOperation,
  type RunPlugins,
  readGzippedJson,
  restoreKeys,
} from "@jibe/engine";
import type { Restore } from "../../api/resources.ts";
import { restoreOperationPlugin } from "../operations/restore-operation-plugin.ts";

/** Cancels what an earlier attempt had started: the restore is run again, and its actions start their work anew. */
export async function cancelEarlierOperations(
  restore: Restore,
  { store, plugins }: { readonly store: ObjectStore; readonly plugins: RunPlugins },
  scope: Scope,
): Promise<void> {
  const key = restoreKeys(restore.metadata.name).itemOperations;
  const operations = ((await readGzippedJson(store, key, scope)) ?? []) as unknown as readonly RestoreOperation[];
  const plugin = restoreOperationPlugin(restore, plugins);
  for (const operation of operations.filter(({ status }) => isRunning(status))) {
    const fields = { operationID: operation.spec.operationID, plugin: operation.spec.restoreItemAction };
    try {
      await plugin.cancel(operation, scope);
      scope.log.info("operation of an earlier attempt canceled", fields);
    } catch (error) {
      scope.signal.throwIfAborted();
      scope.log.warn("cannot cancel an operation of an earlier attempt", { ...fields, error: messageOf(error) });
    }
  }
}
