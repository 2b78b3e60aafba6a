import { fakeClock } from "@jibe/testkit";
import { expect, test } from "vitest";
import type { LiveState } from "./live-state.ts";
import { createPrometheusRegistry } from "./prometheus-registry.ts";
import { ServerMetrics } from "./server-metrics.ts";

const start = new Date("2026-01-01T00:00:00Z");

async function create(live: Partial<LiveState> = {}) {
  const all: LiveState = { operations: () => [], apiConcurrency: () => 64, residentBytes: () => 1000, ...live };
  const metrics = new ServerMetrics(await createPrometheusRegistry(), fakeClock({ start }), all);
  /** The series whose name begins so, without the prefix `velero_`. */
  const series = async (prefix: string) =>
    (await metrics.expose()).body
      .split("\n")
      .filter((line) => line.startsWith(prefix) && !line.startsWith("#"))
      .sort();
  return { metrics, series };
}

const veleroNames =
  `backup_tarball_size_bytes backup_total backup_attempt_total backup_success_total backup_partial_failure_total
  backup_failure_total backup_validation_failure_total backup_warning_total backup_duration_seconds backup_deletion_attempt_total
  backup_deletion_success_total backup_deletion_failure_total backup_last_successful_timestamp backup_items_total backup_items_errors
  backup_last_status backup_location_status_gauge restore_total restore_attempt_total restore_success_total
  restore_partial_failure_total restore_failed_total restore_validation_failed_total volume_snapshot_attempt_total
  volume_snapshot_success_total volume_snapshot_failure_total csi_snapshot_attempt_total csi_snapshot_success_total
  csi_snapshot_failure_total schedule_expected_interval_seconds repo_maintenance_success_total repo_maintenance_failure_total
  repo_maintenance_duration_seconds`.split(/\s+/);

test("every metric of Velero is there by its name and type", async () => {
  const { metrics } = await create();
  const { body, contentType } = await metrics.expose();
  expect(contentType).toContain("text/plain");
  const types = new Map([...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type]) => [name, type]));
  const names = [...types.keys()].filter((name) => name.startsWith("velero_")).sort();
  expect(names).toEqual(veleroNames.map((name) => `velero_${name}`).sort());
  expect(types.get("velero_backup_duration_seconds")).toBe("histogram");
  expect(types.get("velero_backup_total")).toBe("gauge");
  expect(types.get("velero_backup_attempt_total")).toBe("counter");
});

test("series of backups without schedule are there from the start, the last status good", async () => {
  const { series } = await create();
  expect(await series("velero_backup_attempt_total")).toEqual(['velero_backup_attempt_total{schedule=""} 0']);
  expect(await series("velero_restore_failed_total")).toEqual(['velero_restore_failed_total{schedule=""} 0']);
  expect(await series("velero_backup_last_status")).toEqual(['velero_backup_last_status{schedule=""} 1']);
  expect(await series("velero_backup_duration_seconds_count")).toEqual([
    'velero_backup_duration_seconds_count{schedule=""} 0',
  ]);
});

test("a completed backup counts where Velero counts it", async () => {
  const { metrics, series } = await create();
  metrics.scheduleKnown("daily", 86_400);
  metrics.backupStarted("daily");
  const snapshots = { attempted: 3, completed: 2 };
  const numbers = { durationSeconds: 90, tarballBytes: 1234, items: 50, errors: 0, warnings: 2, snapshots };
  metrics.backupEnded({ schedule: "daily", outcome: "Completed", ...numbers });
  const lines = (await series("velero_")).filter((line) => line.includes('"daily"') && !line.includes("_bucket"));
  expect(lines.filter((line) => !line.endsWith(" 0"))).toEqual([
    'velero_backup_attempt_total{schedule="daily"} 1',
    'velero_backup_duration_seconds_count{schedule="daily"} 1',
    'velero_backup_duration_seconds_sum{schedule="daily"} 90',
    'velero_backup_items_total{schedule="daily"} 50',
    'velero_backup_last_status{schedule="daily"} 1',
    'velero_backup_last_successful_timestamp{schedule="daily"} 1767225600',
    'velero_backup_success_total{schedule="daily"} 1',
    'velero_backup_tarball_size_bytes{schedule="daily"} 1234',
    'velero_backup_warning_total{schedule="daily"} 1',
    'velero_schedule_expected_interval_seconds{schedule="daily"} 86400',
    'velero_volume_snapshot_attempt_total{schedule="daily"} 3',
    'velero_volume_snapshot_failure_total{schedule="daily"} 1',
    'velero_volume_snapshot_success_total{schedule="daily"} 2',
  ]);
  expect(await series('velero_backup_duration_seconds_bucket{le="60",schedule="daily"')).toEqual([
    'velero_backup_duration_seconds_bucket{le="60",schedule="daily"} 0',
  ]);
});

test("a failure is remembered until the next success, however often the schedule is seen", async () => {
  const { metrics, series } = await create();
  for (const outcome of ["PartiallyFailed", "Failed", "FailedValidation"] as const) {
    metrics.scheduleKnown("daily");
    metrics.backupEnded({ schedule: "daily", outcome });
    metrics.scheduleKnown("daily");
    expect(await series('velero_backup_last_status{schedule="daily"}')).toEqual([
      'velero_backup_last_status{schedule="daily"} 0',
    ]);
  }
  for (const name of ["partial_failure", "failure", "validation_failure"]) {
    expect(await series(`velero_backup_${name}_total{schedule="daily"}`)).toEqual([
      `velero_backup_${name}_total{schedule="daily"} 1`,
    ]);
  }
  metrics.backupEnded({ schedule: "daily", outcome: "Completed" });
  expect(await series('velero_backup_last_status{schedule="daily"}')).toEqual([
    'velero_backup_last_status{schedule="daily"} 1',
  ]);
});

test("a schedule that is gone leaves no series behind", async () => {
  const { metrics, series } = await create();
  metrics.scheduleKnown("daily", 60);
  metrics.backupEnded({ schedule: "daily", outcome: "Completed", durationSeconds: 1, tarballBytes: 1 });
  metrics.scheduleGone("daily");
  metrics.scheduleGone("");
  const lines = await series("velero_");
  expect(lines.filter((line) => line.includes("daily"))).toEqual([]);
  expect(lines.some((line) => line.includes('schedule=""'))).toBe(true);
});

test("restores, deletions, locations and totals count", async () => {
  const { metrics, series } = await create();
  metrics.restoreStarted("");
  for (const outcome of ["Completed", "PartiallyFailed", "Failed", "FailedValidation"] as const)
    metrics.restoreEnded("", outcome);
  metrics.backupDeletionStarted("");
  metrics.backupDeletionEnded("", "failure");
  metrics.locationChecked("default", false);
  metrics.locationChecked("gone", true);
  metrics.locationGone("gone");
  metrics.runsCounted({ backups: 4, restores: 2 });
  expect((await series("velero_restore_")).map((line) => line.split(" ")[1])).toEqual(["1", "1", "1", "1", "2", "1"]);
  expect(await series("velero_backup_deletion")).toEqual([
    'velero_backup_deletion_attempt_total{schedule=""} 1',
    'velero_backup_deletion_failure_total{schedule=""} 1',
    'velero_backup_deletion_success_total{schedule=""} 0',
  ]);
  expect(await series("velero_backup_location")).toEqual([
    'velero_backup_location_status_gauge{backup_location_name="default"} 0',
  ]);
  expect(await series("velero_backup_total")).toEqual(["velero_backup_total 4"]);
});

test("what is running is asked when someone looks", async () => {
  let operations = [
    { run: "backup" as const, plugin: "p", since: new Date(start.getTime() - 30_000) },
    { run: "backup" as const, plugin: "p", since: new Date(start.getTime() - 90_000) },
    { run: "restore" as const, plugin: "q", since: start },
  ];
  const { metrics, series } = await create({ operations: () => operations });
  metrics.itemsProcessed("backup", "backed up", 500);
  metrics.pluginCalled({ plugin: "p", method: "Execute", outcome: "ok", ms: 30 });
  metrics.operationEnded({ run: "backup", plugin: "p", outcome: "Completed" });
  metrics.apiThrottled();
  expect(await series("jibe_operation_age_seconds")).toEqual([
    'jibe_operation_age_seconds{run="backup",plugin="p"} 90',
    'jibe_operation_age_seconds{run="restore",plugin="q"} 0',
  ]);
  expect(await series("jibe_operations_running")).toHaveLength(2);
  expect(await series("jibe_items_processed_total")).toEqual([
    'jibe_items_processed_total{run="backup",outcome="backed up"} 500',
  ]);
  expect(await series("jibe_plugin_call_duration_seconds_sum")).toEqual([
    'jibe_plugin_call_duration_seconds_sum{plugin="p",method="Execute",outcome="ok"} 0.03',
  ]);
  expect(await series("jibe_api_")).toEqual(["jibe_api_concurrency 64", "jibe_api_throttled_total 1"]);
  operations = [];
  expect(await series("jibe_operations_running")).toEqual([]);
});

test("two servers in one process do not share a series", async () => {
  const [one, two] = [await create(), await create()];
  one.metrics.backupStarted("");
  expect(await two.series("velero_backup_attempt_total")).toEqual(['velero_backup_attempt_total{schedule=""} 0']);
});
