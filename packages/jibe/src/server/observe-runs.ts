import { labels } from "../api/names.ts";
import type { Backup, Restore } from "../api/resources.ts";
import { timeMs } from "../api/time.ts";
import type { RunOutcome, ServerMetrics } from "../metrics/index.ts";

const outcomes: ReadonlySet<string | undefined> = new Set<RunOutcome>([
  "Completed",
  "PartiallyFailed",
  "Failed",
  "FailedValidation",
]);

/** Counts backups and restores as their phases change. */
export function observeRuns(metrics: ServerMetrics) {
  return {
    backup: ({ metadata, status = {} }: Backup, tarballBytes?: number): void => {
      const schedule = metadata.labels?.[labels.scheduleName] ?? "";
      if (status.phase === "InProgress") metrics.backupStarted(schedule);
      if (!outcomes.has(status.phase)) return;
      const started = timeMs(status.startTimestamp);
      const ended = timeMs(status.completionTimestamp);
      const items = status.progress?.itemsBackedUp ?? 0;
      metrics.backupEnded({
        schedule,
        outcome: status.phase as RunOutcome,
        items,
        errors: status.errors ?? 0,
        warnings: status.warnings ?? 0,
        snapshots: { attempted: status.volumeSnapshotsAttempted ?? 0, completed: status.volumeSnapshotsCompleted ?? 0 },
        ...(started !== undefined && ended !== undefined ? { durationSeconds: (ended - started) / 1000 } : {}),
        ...(tarballBytes === undefined ? {} : { tarballBytes }),
      });
      metrics.itemsProcessed("backup", "stored", items);
    },
    restore: ({ spec, status = {} }: Restore): void => {
      const schedule = spec.scheduleName ?? "";
      if (status.phase === "InProgress") metrics.restoreStarted(schedule);
      if (!outcomes.has(status.phase)) return;
      metrics.restoreEnded(schedule, status.phase as RunOutcome);
      metrics.itemsProcessed("restore", "restored", status.progress?.itemsRestored ?? 0);
    },
  };
}
