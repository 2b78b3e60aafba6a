import { type Clock, messageOf, type Scope } from "@jibe/base";
import {
  createStatusWriter,
  isRunning,
  type ObjectStore,
  putJson,
  type RestoreOperation,
  type RunPlugins,
  readGzippedJson,
  restoreKeys,
  type StatusWriter,
} from "@jibe/engine";
import type { Restore } from "../../api/resources.ts";
import { restoreOperationPlugin } from "../operations/restore-operation-plugin.ts";

/** Keeps the operations of a running restore in the store, at most once a second, so that whoever finds them after a crash can stop them. */
export function startedOperations(
  name: string,
  { store, clock }: { readonly store: ObjectStore; readonly clock: Clock },
  scope: Scope,
): StatusWriter<readonly RestoreOperation[]> {
  const patch = (operations: readonly RestoreOperation[], inner: Scope) =>
    putJson(store, restoreKeys(name).itemOperations, operations, inner);
  const onError = (error: unknown) =>
    scope.log.warn("cannot save the operations of a restore", { error: messageOf(error) });
  return createStatusWriter({ patch, clock, onError }, scope);
}

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
