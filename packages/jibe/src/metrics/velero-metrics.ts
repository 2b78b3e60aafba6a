import type { Counter, Gauge, Histogram, MetricRegistry } from "./metric-registry.ts";

const minute = 60;
const hour = 60 * minute;
const durationBuckets = [minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 4 * hour];
const maintenanceBuckets = [1, 5, 10, 30, minute, 5 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour];

/** Velero's metrics, by its names and labels, so that its dashboards and alerts go on working. */
export function veleroMetrics(registry: MetricRegistry) {
  const define = (name: string, help: string, labels: readonly string[]) => ({ name: `velero_${name}`, help, labels });
  const counter = (name: string, help: string, labels = ["schedule"]): Counter =>
    registry.counter(define(name, help, labels));
  const gauge = (name: string, help: string, labels = ["schedule"]): Gauge =>
    registry.gauge(define(name, help, labels));
  const histogram = (name: string, help: string, of: { labels: string[]; buckets: number[] }): Histogram =>
    registry.histogram({ ...define(name, help, of.labels), buckets: of.buckets });
  const csi = ["schedule", "backupName"];
  const repository = ["repository_name"];
  return {
    backupTarballSizeBytes: gauge("backup_tarball_size_bytes", "How large the last archive of a schedule is, in bytes"),
    backupTotal: gauge("backup_total", "Backups that exist", []),
    backupAttempt: counter("backup_attempt_total", "Backups that were begun"),
    backupSuccess: counter("backup_success_total", "Backups that ended without an error"),
    backupPartialFailure: counter("backup_partial_failure_total", "Backups that ended with errors"),
    backupFailure: counter("backup_failure_total", "Backups that failed as a whole"),
    backupValidationFailure: counter("backup_validation_failure_total", "Backups that were refused"),
    backupWarning: counter("backup_warning_total", "Backups that ended with warnings"),
    backupDurationSeconds: histogram("backup_duration_seconds", "How long backups took, in seconds", {
      labels: ["schedule"],
      buckets: durationBuckets,
    }),
    backupDeletionAttempt: counter("backup_deletion_attempt_total", "Deletions of backups that were begun"),
    backupDeletionSuccess: counter("backup_deletion_success_total", "Deletions of backups that went well"),
    backupDeletionFailure: counter("backup_deletion_failure_total", "Deletions of backups that failed"),
    backupLastSuccessfulTimestamp: gauge(
      "backup_last_successful_timestamp",
      "When the last backup without an error ended, in Unix time",
    ),
    backupItemsTotal: gauge("backup_items_total", "Items in the last backup"),
    backupItemsErrors: gauge("backup_items_errors", "Errors of the last backup"),
    backupLastStatus: gauge("backup_last_status", "Whether the last backup ended without an error"),
    backupLocationStatus: gauge("backup_location_status_gauge", "Whether a storage location can be used", [
      "backup_location_name",
    ]),
    restoreTotal: gauge("restore_total", "Restores that exist", []),
    restoreAttempt: counter("restore_attempt_total", "Restores that were begun"),
    restoreSuccess: counter("restore_success_total", "Restores that ended without an error"),
    restorePartialFailure: counter("restore_partial_failure_total", "Restores that ended with errors"),
    restoreFailed: counter("restore_failed_total", "Restores that failed as a whole"),
    restoreValidationFailed: counter("restore_validation_failed_total", "Restores that were refused"),
    volumeSnapshotAttempt: counter("volume_snapshot_attempt_total", "Volume snapshots that were begun"),
    volumeSnapshotSuccess: counter("volume_snapshot_success_total", "Volume snapshots that went well"),
    volumeSnapshotFailure: counter("volume_snapshot_failure_total", "Volume snapshots that failed"),
    csiSnapshotAttempt: counter("csi_snapshot_attempt_total", "CSI snapshots that were begun", csi),
    csiSnapshotSuccess: counter("csi_snapshot_success_total", "CSI snapshots that went well", csi),
    csiSnapshotFailure: counter("csi_snapshot_failure_total", "CSI snapshots that failed", csi),
    scheduleExpectedIntervalSeconds: gauge(
      "schedule_expected_interval_seconds",
      "How far apart the backups of a schedule should be, in seconds",
    ),
    repoMaintenanceSuccess: counter(
      "repo_maintenance_success_total",
      "Maintenances of a repository that went well",
      repository,
    ),
    repoMaintenanceFailure: counter(
      "repo_maintenance_failure_total",
      "Maintenances of a repository that failed",
      repository,
    ),
    repoMaintenanceDurationSeconds: histogram(
      "repo_maintenance_duration_seconds",
      "How long maintenances took, in seconds",
      {
        labels: repository,
        buckets: maintenanceBuckets,
      },
    ),
  };
}

export type VeleroMetrics = ReturnType<typeof veleroMetrics>;
