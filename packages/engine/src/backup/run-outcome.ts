import type { Backup, BackupStatus } from "@jibe/plugin-sdk/contracts";
import { kubernetesTime } from "../layout/go-json.ts";
import type { BackupOperation } from "../operations/item-operation.ts";
import type { StoredSnapshot } from "../volumes/stored-snapshot.ts";
import type { BackupResult } from "./backup-request.ts";
import { progressOf } from "./run-progress.ts";

/** What a run has come to. */
export interface RunOutcome {
  /** Why the run as a whole failed. */
  readonly fatal: string | undefined;
  readonly warnings: number;
  readonly errors: number;
  readonly items: number;
  readonly hooks: { readonly attempted: number; readonly failed: number };
  readonly operations: readonly BackupOperation[];
  readonly snapshots: readonly StoredSnapshot[];
}

/** The phase a run goes to: Failed, or on to waiting or finalizing, with the suffix when there were errors. */
export function phaseAfterRun({
  fatal,
  errors,
  operations,
}: Pick<RunOutcome, "fatal" | "errors" | "operations">): BackupResult["phase"] {
  if (fatal !== undefined) return "Failed";
  const waits = operations.some(({ status }) => status.phase === "New" || status.phase === "InProgress");
  if (errors > 0) return waits ? "WaitingForPluginOperationsPartiallyFailed" : "FinalizingPartiallyFailed";
  return waits ? "WaitingForPluginOperations" : "Finalizing";
}

/** The status after a run; counts that are zero are left out. Only a failed run is completed. */
export function statusAfterRun(backup: Backup, outcome: RunOutcome, now: Date): BackupStatus {
  const { fatal, operations, snapshots, hooks, items } = outcome;
  const phase = phaseAfterRun(outcome);
  const counts = {
    volumeSnapshotsAttempted: snapshots.length,
    volumeSnapshotsCompleted: snapshots.filter(({ status }) => status.phase === "Completed").length,
    warnings: outcome.warnings,
    errors: outcome.errors,
    backupItemOperationsAttempted: operations.length,
    backupItemOperationsCompleted: operations.filter(({ status }) => status.phase === "Completed").length,
    backupItemOperationsFailed: operations.filter(({ status }) => status.phase === "Failed").length,
  };
  return {
    ...backup.status,
    phase,
    progress: progressOf(items, items),
    hookStatus: hookStatusOf(hooks),
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    ...(fatal === undefined ? {} : { failureReason: fatal, completionTimestamp: kubernetesTime(now) }),
  };
}

/** Zeros are left out. */
export function hookStatusOf({ attempted, failed }: RunOutcome["hooks"]): NonNullable<BackupStatus["hookStatus"]> {
  return { ...(attempted > 0 ? { hooksAttempted: attempted } : {}), ...(failed > 0 ? { hooksFailed: failed } : {}) };
}
