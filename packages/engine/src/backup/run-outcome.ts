import type { Backup, BackupStatus } from "@jibe/plugin-sdk/contracts";
import { kubernetesTime } from "../layout/go-json.ts";
import type { BackupOperation } from "../operations/item-operation.ts";
import { phaseAfterItems, tallyOf } from "../operations/next-phase.ts";
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

/** The status after a run; counts that are zero are left out. Only a failed run is completed. */
export function statusAfterRun(backup: Backup, outcome: RunOutcome, now: Date): BackupStatus {
  const { fatal, operations, snapshots, hooks, items } = outcome;
  const { running, completed, failed } = tallyOf(operations);
  const phase: BackupResult["phase"] =
    fatal === undefined ? phaseAfterItems({ errors: outcome.errors, running }) : "Failed";
  const counts = {
    volumeSnapshotsAttempted: snapshots.length,
    volumeSnapshotsCompleted: snapshots.filter(({ status }) => status.phase === "Completed").length,
    warnings: outcome.warnings,
    errors: outcome.errors,
    backupItemOperationsAttempted: operations.length,
    backupItemOperationsCompleted: completed,
    backupItemOperationsFailed: failed,
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
