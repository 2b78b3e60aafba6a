import { type Clock, messageOf, type Scope } from "@jibe/base";
import { type ObjectStore, type RestoreOperation, type RunPlugins, readGzippedJson, restoreKeys } from "@jibe/engine";
import type { Restore } from "../../api/resources.ts";
import { cancelLeftOperations, undoTimes } from "../cancel-left-operations.ts";
import { restoreOperationPlugin } from "../operations/restore-operation-plugin.ts";

/** Cancels what an earlier attempt had started: the restore is run again, and its actions start their work anew. */
export async function cancelEarlierOperations(
  restore: Restore,
  { store, plugins, clock }: { readonly store: ObjectStore; readonly plugins: RunPlugins; readonly clock: Clock },
  scope: Scope,
): Promise<void> {
  const key = restoreKeys(restore.metadata.name).itemOperations;
  const operations = ((await readGzippedJson(store, key, scope)) ?? []) as unknown as readonly RestoreOperation[];
  await cancelLeftOperations(operations, restoreOperationPlugin(restore, plugins), undoTimes(restore, clock), scope);
}

/**
 * Removes what an earlier attempt wrote about itself, so that nobody takes it for this one's account where a file of this one cannot be
 * written. The volumes that were made stay known: this attempt uses them.
 */
export async function forgetEarlierAccount(
  { metadata }: Restore,
  { store }: { readonly store: ObjectStore },
  scope: Scope,
): Promise<void> {
  const { log, results, resourceList, ledger } = restoreKeys(metadata.name);
  for (const key of [log, results, resourceList, ledger]) {
    try {
      await store.delete(key, scope);
    } catch (error) {
      scope.signal.throwIfAborted();
      scope.log.warn("cannot remove a file of an earlier attempt", { key, error: messageOf(error) });
    }
  }
}
