import { mapConcurrent, parseGoDuration, type Scope } from "@jibe/base";
import type { Backup } from "@jibe/plugin-sdk/contracts";
import type { BackupOperation } from "../operations/item-operation.ts";
import { judgeAnswer, type OperationAnswer } from "../operations/judge-answer.ts";
import type { BackupAction } from "../ports/plugins.ts";

const pollsAtOnce = 16;
const defaultTimeout = "4h";

export interface FirstPollOptions {
  readonly backup: Backup;
  readonly actions: readonly BackupAction[];
  readonly now: Date;
}

/**
 * Asks once how far the operations of a run have come, right after its items: short ones are over by then and need no waiting. Snapshots
 * are left to those who initialise their location. An operation that has failed is logged as an error, and so counts.
 */
export async function pollOnce(
  operations: readonly BackupOperation[],
  { backup, actions, now }: FirstPollOptions,
  scope: Scope,
): Promise<BackupOperation[]> {
  const byName = new Map(actions.map((action) => [action.name, action]));
  const timeoutMs = parseGoDuration(backup.spec.itemOperationTimeout ?? defaultTimeout);
  const each = async (operation: BackupOperation, inner: Scope): Promise<BackupOperation> => {
    const { backupItemAction: plugin, operationID, volumeSnapshotLocation } = operation.spec;
    const action = byName.get(plugin);
    if (volumeSnapshotLocation !== undefined || !action) return operation;
    const answer = await ask(() => action.progress(operationID, backup, inner), inner);
    const { status, failure } = judgeAnswer(operation.status, answer, {
      now,
      timeoutMs,
      errorsInARow: 0,
      refusalsInARow: 0,
    });
    if (failure === undefined) return { ...operation, status };
    return { ...operation, status: { ...status, error: `${failure}, plugin: ${plugin}` } };
  };
  const polled: BackupOperation[] = [];
  for await (const operation of mapConcurrent(operations, { limit: pollsAtOnce, each, ordered: true }, scope)) {
    polled.push(operation);
    if (operation.status.phase === "Failed") scope.log.error(operation.status.error ?? "operation failed");
  }
  return polled;
}

async function ask(progress: () => ReturnType<BackupAction["progress"]>, scope: Scope): Promise<OperationAnswer> {
  try {
    return { ok: true, progress: await progress() };
  } catch (error) {
    scope.signal.throwIfAborted();
    return { ok: false, error };
  }
}
