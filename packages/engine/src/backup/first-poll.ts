import { AppError, mapConcurrent, messageOf, type Scope } from "@jibe/base";
import type { Backup, OperationProgress } from "@jibe/plugin-sdk/contracts";
import { kubernetesTime } from "../layout/go-json.ts";
import type { BackupOperation, OperationStatus } from "../operations/item-operation.ts";
import type { BackupAction } from "../ports/plugins.ts";

const pollsAtOnce = 16;

/**
 * Asks once how far the operations of a run have come, right after its items. Snapshots are left to those who initialise their
 * location. An answer that ends the operation is taken; a failure that may pass leaves it as it is, for the polls to come.
 */
export async function pollOnce(
  operations: readonly BackupOperation[],
  { backup, actions }: { readonly backup: Backup; readonly actions: readonly BackupAction[] },
  scope: Scope,
): Promise<BackupOperation[]> {
  const byName = new Map(actions.map((action) => [action.name, action]));
  const each = async (operation: BackupOperation, inner: Scope): Promise<BackupOperation> => {
    const { backupItemAction: plugin, operationID, volumeSnapshotLocation } = operation.spec;
    const action = byName.get(plugin);
    if (volumeSnapshotLocation !== undefined || !action) return operation;
    try {
      const progress = await action.progress(operationID, backup, inner);
      return { ...operation, status: statusAfter(operation.status, progress, plugin) };
    } catch (error) {
      inner.signal.throwIfAborted();
      if (!isFinal(error)) return operation;
      const text = `${messageOf(error)}, plugin: ${plugin}`;
      return { ...operation, status: { ...operation.status, phase: "Failed", error: text } };
    }
  };
  const polled: BackupOperation[] = [];
  for await (const operation of mapConcurrent(operations, { limit: pollsAtOnce, each, ordered: true }, scope)) {
    polled.push(operation);
    if (operation.status.phase === "Failed") scope.log.error(operation.status.error ?? "operation failed");
  }
  return polled;
}

function isFinal(error: unknown): boolean {
  return error instanceof AppError && (error.code === "InvalidArgument" || error.code === "Unsupported");
}

function statusAfter(before: OperationStatus, progress: OperationProgress, plugin: string): OperationStatus {
  const { nCompleted, nTotal, operationUnits, description, started, updated } = progress;
  const numbers = {
    ...(nCompleted ? { nCompleted } : {}),
    ...(nTotal ? { nTotal } : {}),
    ...(operationUnits ? { operationUnits } : {}),
    ...(description ? { description } : {}),
    ...(before.created === undefined ? {} : { created: before.created }),
    ...(started ? { started: kubernetesTime(started) } : {}),
    ...(updated ? { updated: kubernetesTime(updated) } : {}),
  };
  if (progress.completed && progress.error) {
    return { phase: "Failed", error: `${progress.error}, plugin: ${plugin}`, ...numbers };
  }
  if (progress.completed) return { phase: "Completed", ...numbers };
  return { phase: started ? "InProgress" : before.phase, ...numbers };
}
