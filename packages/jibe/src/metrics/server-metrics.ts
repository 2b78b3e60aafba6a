import type { Clock } from "@jibe/base";
import { type JibeMetrics, jibeMetrics } from "./jibe-metrics.ts";
import { type LiveState, type RunKind, watchLiveState } from "./live-state.ts";
import type { Counter, Exposition, MetricRegistry } from "./metric-registry.ts";
import { type VeleroMetrics, veleroMetrics } from "./velero-metrics.ts";

export type RunOutcome = "Completed" | "PartiallyFailed" | "Failed" | "FailedValidation";

/** How a backup ended. `schedule` is empty for one that a person made. */
export interface EndedBackup {
  readonly schedule: string;
  readonly outcome: RunOutcome;
  readonly durationSeconds?: number;
  readonly tarballBytes?: number;
  readonly items?: number;
  readonly errors?: number;
  readonly warnings?: number;
  readonly snapshots?: { readonly attempted: number; readonly completed: number };
}

/** The server's metrics in the words of what happens; what is counted under which name is decided here. */
export class ServerMetrics {
  readonly #registry: MetricRegistry;
  readonly #clock: Clock;
  readonly #velero: VeleroMetrics;
  readonly #jibe: JibeMetrics;
  readonly #schedules = new Set<string>();

  constructor(registry: MetricRegistry, clock: Clock, live: LiveState) {
    this.#registry = registry;
    this.#clock = clock;
    this.#velero = veleroMetrics(registry);
    this.#jibe = jibeMetrics(registry);
    watchLiveState(registry, clock, live);
    this.scheduleKnown("");
  }

  expose(): Promise<Exposition> {
    return this.#registry.expose();
  }

  /**
   * Makes every series of a schedule appear, so that a first failure is seen as a rise. A schedule that is known already keeps its
   * values, its last status among them.
   */
  scheduleKnown(schedule: string, expectedIntervalSeconds?: number): void {
    if (expectedIntervalSeconds !== undefined) {
      this.#velero.scheduleExpectedIntervalSeconds.set({ schedule }, expectedIntervalSeconds);
    }
    if (this.#schedules.has(schedule)) return;
    this.#schedules.add(schedule);
    for (const counter of this.#scheduleCounters()) counter.add({ schedule }, 0);
    this.#velero.backupDurationSeconds.touch({ schedule });
    this.#velero.backupItemsTotal.set({ schedule }, 0);
    this.#velero.backupItemsErrors.set({ schedule }, 0);
    this.#velero.backupLastStatus.set({ schedule }, 1);
  }

  scheduleGone(schedule: string): void {
    if (schedule === "" || !this.#schedules.delete(schedule)) return;
    const { backupDurationSeconds, backupTarballSizeBytes, backupLastSuccessfulTimestamp } = this.#velero;
    const { backupItemsTotal, backupItemsErrors, backupLastStatus, scheduleExpectedIntervalSeconds } = this.#velero;
    const others = [
      backupDurationSeconds,
      backupTarballSizeBytes,
      backupLastSuccessfulTimestamp,
      backupItemsTotal,
      backupItemsErrors,
      backupLastStatus,
      scheduleExpectedIntervalSeconds,
    ];
    for (const metric of [...this.#scheduleCounters(), ...others]) metric.remove({ schedule });
  }

  backupStarted(schedule: string): void {
    this.#velero.backupAttempt.add({ schedule });
  }

  backupEnded(backup: EndedBackup): void {
    const { schedule, outcome } = backup;
    this.#backupCounter(outcome).add({ schedule });
    this.#velero.backupLastStatus.set({ schedule }, outcome === "Completed" ? 1 : 0);
    if (outcome === "FailedValidation") return;
    const velero = this.#velero;
    const { durationSeconds, tarballBytes, items = 0, errors = 0, warnings = 0, snapshots } = backup;
    if (durationSeconds !== undefined) velero.backupDurationSeconds.observe({ schedule }, durationSeconds);
    if (tarballBytes !== undefined) velero.backupTarballSizeBytes.set({ schedule }, tarballBytes);
    if (warnings > 0) velero.backupWarning.add({ schedule });
    velero.backupItemsTotal.set({ schedule }, items);
    velero.backupItemsErrors.set({ schedule }, errors);
    if (outcome === "Completed") {
      velero.backupLastSuccessfulTimestamp.set({ schedule }, Math.floor(this.#clock.now().getTime() / 1000));
    }
    if (!snapshots) return;
    velero.volumeSnapshotAttempt.add({ schedule }, snapshots.attempted);
    velero.volumeSnapshotSuccess.add({ schedule }, snapshots.completed);
    velero.volumeSnapshotFailure.add({ schedule }, snapshots.attempted - snapshots.completed);
  }

  backupDeletionStarted(schedule: string): void {
    this.#velero.backupDeletionAttempt.add({ schedule });
  }

  backupDeletionEnded(schedule: string, outcome: "success" | "failure"): void {
    const { backupDeletionSuccess, backupDeletionFailure } = this.#velero;
    (outcome === "success" ? backupDeletionSuccess : backupDeletionFailure).add({ schedule });
  }

  restoreStarted(schedule: string): void {
    this.#velero.restoreAttempt.add({ schedule });
  }

  restoreEnded(schedule: string, outcome: RunOutcome): void {
    const { restoreSuccess, restorePartialFailure, restoreFailed, restoreValidationFailed } = this.#velero;
    const counters: Record<RunOutcome, Counter> = {
      Completed: restoreSuccess,
      PartiallyFailed: restorePartialFailure,
      Failed: restoreFailed,
      FailedValidation: restoreValidationFailed,
    };
    counters[outcome].add({ schedule });
  }

  /** How many there are, as listed from the cluster. */
  runsCounted({ backups, restores }: { readonly backups: number; readonly restores: number }): void {
    this.#velero.backupTotal.set({}, backups);
    this.#velero.restoreTotal.set({}, restores);
  }

  locationChecked(location: string, isAvailable: boolean): void {
    this.#velero.backupLocationStatus.set({ backup_location_name: location }, isAvailable ? 1 : 0);
  }

  locationGone(location: string): void {
    this.#velero.backupLocationStatus.remove({ backup_location_name: location });
  }

  itemsProcessed(run: RunKind, outcome: string, count: number): void {
    this.#jibe.itemsProcessed.add({ run, outcome }, count);
  }

  pluginCalled(call: {
    readonly plugin: string;
    readonly method: string;
    readonly outcome: string;
    readonly ms: number;
  }): void {
    const { plugin, method, outcome, ms } = call;
    this.#jibe.pluginCallSeconds.observe({ plugin, method, outcome }, ms / 1000);
  }

  operationEnded(operation: { readonly run: RunKind; readonly plugin: string; readonly outcome: string }): void {
    this.#jibe.operationsEnded.add({ ...operation });
  }

  apiThrottled(): void {
    this.#jibe.apiThrottled.add({});
  }

  #backupCounter(outcome: RunOutcome): Counter {
    const { backupSuccess, backupPartialFailure, backupFailure, backupValidationFailure } = this.#velero;
    const counters: Record<RunOutcome, Counter> = {
      Completed: backupSuccess,
      PartiallyFailed: backupPartialFailure,
      Failed: backupFailure,
      FailedValidation: backupValidationFailure,
    };
    return counters[outcome];
  }

  #scheduleCounters(): Counter[] {
    const v = this.#velero;
    return [
      ...[v.backupAttempt, v.backupSuccess, v.backupPartialFailure, v.backupFailure, v.backupValidationFailure],
      ...[v.backupWarning, v.backupDeletionAttempt, v.backupDeletionSuccess, v.backupDeletionFailure],
      ...[v.restoreAttempt, v.restoreSuccess, v.restorePartialFailure, v.restoreFailed, v.restoreValidationFailed],
      ...[v.volumeSnapshotAttempt, v.volumeSnapshotSuccess, v.volumeSnapshotFailure],
    ];
  }
}
