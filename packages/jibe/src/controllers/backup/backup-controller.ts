import { messageOf, type Scope, withFields } from "@jibe/base";
import {
  type BackupDefaults,
  type BackupOptions,
  backupKeys,
  type PreparedBackup,
  prepareBackup,
  runBackup,
} from "@jibe/engine";
import { canceledByUser } from "../../api/names.ts";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup, BackupStatus } from "../../api/resources.ts";
import { type ActiveRuns, isCancelRequested } from "../active-runs.ts";
import { attemptOf, ClaimedRun } from "../claimed-run.ts";
import { type Controller, done, type ReconcileResult } from "../controller.ts";
import { decideRecovery } from "../decide-recovery.ts";
import { failedStatus } from "../failed-status.ts";
import type { LiveLogs } from "../live-logs.ts";
import { progressPorts } from "../progress-ports.ts";
import { readJson } from "../read-json.ts";
import type { Resources } from "../resources.ts";
import { openBackupStore, openSnapshotLocation, type RunSurroundings } from "../run-surroundings.ts";
import { isCopyOf } from "./end-canceled-backup.ts";
import { gatherBackup } from "./gather-backup.ts";
import { readLeftWork, saveStartedWork, undoAttempt } from "./started-work.ts";

export interface BackupDeps {
  readonly backups: Resources<Backup>;
  readonly world: RunSurroundings;
  readonly active: ActiveRuns;
  readonly liveLogs: LiveLogs;
  readonly concurrentBackups: number;
  readonly defaults: BackupDefaults;
  readonly options: BackupOptions;
  /** Called with the backup as it is after each change of phase. */
  readonly onPhase: (backup: Backup, archiveBytes?: number) => void;
}

const takenRecheckMs = 1000;

/** Runs backups that may start, and those whose server ended while they ran. */
export function backupController(deps: BackupDeps): Controller {
  const { backups, active } = deps;
  return {
    name: "backup",
    type: veleroTypes.backup,
    workers: deps.concurrentBackups + 2,
    reconcile: async (name, scope) => {
      const backup = await backups.find(name, scope);
      if (!backup || backup.metadata.deletionTimestamp || active.isRunning(name)) return done;
      const own = withFields(scope, { backup: `${backups.namespace}/${name}` });
      if (isCancelRequested(backup) && isNotStarted(backup)) return endUnstarted(backup, deps, own);
      if (backup.status?.phase === "ReadyToStart") return startBackup(backup, deps, own);
      if (backup.status?.phase === "InProgress") return recoverBackup(backup, deps, own);
      return done;
    },
  };
}

const isNotStarted = ({ status }: Backup) => status?.phase === undefined || unstarted.has(status.phase);
const unstarted: ReadonlySet<string> = new Set(["New", "Queued", "ReadyToStart"]);

/** A backup that was canceled before it began. */
async function endUnstarted(
  backup: Backup,
  { backups, world, onPhase }: BackupDeps,
  scope: Scope,
): Promise<ReconcileResult> {
  const status = { ...failedStatus(canceledByUser, world), queuePosition: null };
  onPhase(await backups.patchUnchanged(backup, { status }, scope));
  return done;
}

async function startBackup(backup: Backup, deps: BackupDeps, scope: Scope): Promise<ReconcileResult> {
  const { backups, world } = deps;
  const prepared = await prepareToStart(backup, deps, scope);
  for (const warning of prepared.warnings) scope.log.warn(warning);
  const { spec, status, metadata } = prepared.backup;
  const patch = {
    spec,
    status: { ...status, queuePosition: null },
    metadata: { labels: metadata.labels, annotations: metadata.annotations },
  };
  if (prepared.validationErrors.length > 0) {
    deps.onPhase(await backups.patchUnchanged(backup, patch, scope));
    return done;
  }
  using activeRun = deps.active.begin(backup.metadata.name, new AbortController().signal);
  const taken = await ClaimedRun.take(backups, backup, { holder: world.holder, patch }, scope);
  if (!taken) return { requeueAfterMs: takenRecheckMs };
  deps.onPhase(taken.object);
  await run(taken.object, prepared, { claimed: taken.run, deps, cancel: activeRun.signal }, scope);
  return done;
}

/** A quick look is good enough to begin; to refuse it takes one that is surely up to date. */
async function prepareToStart(backup: Backup, deps: BackupDeps, scope: Scope): Promise<PreparedBackup> {
  const prepared = prepareBackup(await gatherBackup(backup, { ...deps, mayBeStale: true }, scope));
  if (prepared.validationErrors.length === 0) return prepared;
  return prepareBackup(await gatherBackup(backup, deps, scope));
}

/**
 * A backup whose server ended. When its files were complete, it goes on from what they say; else what it had started is undone and it
 * is run again from the start.
 */
async function recoverBackup(backup: Backup, deps: BackupDeps, scope: Scope): Promise<ReconcileResult> {
  const { backups, world } = deps;
  const recovery = decideRecovery({ kind: "backup", attempts: attemptOf(backup), onRestart: world.onRestart });
  await using store = await openBackupStore(backup, world, scope);
  const stored = await readJson<Backup>(store, backupKeys(backup.metadata.name).metadata, scope);
  if (stored?.status?.phase && isCopyOf(backup, stored)) {
    scope.log.info("backup goes on from its stored files after its server ended", { phase: stored.status.phase });
    const claimed = await ClaimedRun.adopt(backups, backup, { holder: world.holder }, scope);
    if (!claimed) return { requeueAfterMs: takenRecheckMs };
    deps.onPhase(await claimed.patchStatus(stored.status as Record<string, unknown>, scope));
    return done;
  }
  const left = await readLeftWork(backup, { store, world }, scope);
  using activeRun = deps.active.begin(backup.metadata.name, new AbortController().signal);
  const taken = await ClaimedRun.take(backups, backup, { holder: world.holder, patch: {} }, scope);
  if (!taken) return { requeueAfterMs: takenRecheckMs };
  {
    await using plugins = await world.openPlugins(scope.log, scope);
    const surroundings = { store, plugins, clock: world.clock, canceled: activeRun.signal };
    await undoAttempt(backup, left, surroundings, scope);
  }
  if (recovery.kind === "fail" || isCancelRequested(backup)) {
    const reason = recovery.kind === "fail" ? recovery.reason : canceledByUser;
    deps.onPhase(await taken.run.patchStatus(failedStatus(reason, world), scope));
    return done;
  }
  const prepared = prepareBackup(await gatherBackup(backup, deps, scope));
  scope.log.info("backup is run again after its server ended", { attempt: taken.run.attempt });
  await run(taken.object, prepared, { claimed: taken.run, deps, cancel: activeRun.signal }, scope);
  return done;
}

/** A run that was noted as active before it was taken: so a cancel cannot come between the two. */
interface TakenRun {
  readonly claimed: ClaimedRun<Backup>;
  readonly deps: BackupDeps;
  readonly cancel: AbortSignal;
}

async function run(backup: Backup, prepared: PreparedBackup, taken: TakenRun, scope: Scope): Promise<void> {
  const { claimed, deps } = taken;
  const { status, archiveBytes } = await runOrFail(backup, prepared, taken, scope);
  // A status that cannot be written says nothing about the backup: when its files are complete, they are found next time.
  deps.onPhase(await claimed.patchStatus(status as Record<string, unknown>, scope), archiveBytes);
}

async function runOrFail(
  backup: Backup,
  prepared: PreparedBackup,
  { claimed, deps, cancel }: TakenRun,
  scope: Scope,
): Promise<{ readonly status: BackupStatus; readonly archiveBytes?: number }> {
  const { world, options } = deps;
  const { name } = backup.metadata;
  using live = deps.liveLogs.offer(name);
  try {
    await using store = await openBackupStore(backup, world, scope);
    await using scratch = await world.openScratch(scope);
    const snapshotLocations = await Promise.all(
      prepared.snapshotLocations.map((location) => openSnapshotLocation(location, world, scope)),
    );
    const ports = {
      cluster: world.cluster,
      plugins: (inner: Scope) => world.openPlugins(inner.log, inner),
      store,
      scratch,
      clock: world.clock,
      newId: world.newId,
      ...progressPorts(claimed),
      snapshotLocations,
      saveStarted: (started: Parameters<typeof saveStartedWork>[1], inner: Scope) =>
        saveStartedWork(name, started, store, inner),
      cancel,
      onLog: live.onLog,
    };
    return await runBackup({ backup, policies: prepared.policies, options }, ports, scope);
  } catch (error) {
    scope.signal.throwIfAborted();
    const failureReason = messageOf(error);
    scope.log.error("backup failed", { error: failureReason });
    return { status: failedStatus(failureReason, world) };
  }
}
