import { formatGoDuration, messageOf, type Scope, withFields } from "@jibe/base";
import {
  deleteFolder,
  finalizeRestore,
  isFinalizing,
  kubernetesTime,
  prepareRestore,
  putJson,
  type RestoreHooks,
  type RestoreOperation,
  type RestoreRequest,
  type RestoreSettings,
  restoreKeys,
  runRestore,
} from "@jibe/engine";
import { restoreFinalizer } from "../../api/names.ts";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup, Restore, RestoreStatus } from "../../api/resources.ts";
import { type ActiveRuns, isCancelRequested } from "../active-runs.ts";
import { attemptOf, ClaimedRun } from "../claimed-run.ts";
import { type Controller, done, type ReconcileResult } from "../controller.ts";
import { decideRecovery } from "../decide-recovery.ts";
import type { LiveLogs } from "../live-logs.ts";
import type { Resources } from "../resources.ts";
import { openBackupStore, openSnapshotLocation, type RunSurroundings } from "../run-surroundings.ts";
import { mayStartRestore } from "./decide-start.ts";
import { cancelEarlierOperations, forgetEarlierAccount } from "./earlier-attempt.ts";
import { gatherRestore } from "./gather-restore.ts";
import { withVersionPriorities } from "./version-priorities.ts";

export interface RestoreDeps {
  readonly restores: Resources<Restore>;
  readonly backups: Resources<Backup>;
  readonly world: RunSurroundings;
  readonly active: ActiveRuns;
  readonly liveLogs: LiveLogs;
  readonly concurrentRestores: number;
  readonly settings: RestoreSettings;
  readonly defaultItemOperationTimeoutMs: number;
  /** Cancels the operations that a waiting restore still has. */
  readonly cancelOperations: (restore: Restore, scope: Scope) => Promise<void>;
  /** Called with the restore as it is after each change of phase. */
  readonly onPhase?: (restore: Restore) => void;
}

const slotRecheckMs = 1000;

/** Runs restores from their request to their end, except for the wait for operations, which has its own controller. */
export function restoreController(deps: RestoreDeps): Controller {
  const { restores, active, world } = deps;
  const hooks = new Map<string, RestoreHooks>();
  const reconcile = async (name: string, scope: Scope): Promise<ReconcileResult> => {
    const restore = await restores.find(name, scope);
    if (!restore || active.isRunning(name)) return done;
    const own = withFields(scope, { restore: `${restores.namespace}/${name}` });
    if (restore.metadata.deletionTimestamp) return removeRestore(restore, deps, own);
    if (!restore.metadata.finalizers?.includes(restoreFinalizer)) {
      const finalizers = [...(restore.metadata.finalizers ?? []), restoreFinalizer];
      await restores.patchUnchanged(restore, { metadata: { finalizers } }, own);
      return { requeueAfterMs: 0 };
    }
    const phase = restore.status?.phase;
    if (phase === undefined || phase === "New") return startRestore(restore, deps, hooks, own);
    if (phase === "InProgress") return recoverRestore(restore, deps, hooks, own);
    if (isFinalizing(phase)) return finishRestore(restore, deps, hooks, own);
    return done;
  };
  return {
    name: "restore",
    type: veleroTypes.restore,
    workers: deps.concurrentRestores + 4,
    reconcile,
    resyncMs: world.onRestart === "rerun" ? 60_000 : 300_000,
  };
}

async function startRestore(
  restore: Restore,
  deps: RestoreDeps,
  hooks: Map<string, RestoreHooks>,
  scope: Scope,
): Promise<ReconcileResult> {
  const { restores, backups, world, active } = deps;
  if (isCancelRequested(restore)) {
    deps.onPhase?.(await restores.patchUnchanged(restore, { status: failedStatus("Canceled by user", world) }, scope));
    return done;
  }
  const running = (await restores.list({}, scope)).filter(({ metadata }) => active.isRunning(metadata.name));
  if (!mayStartRestore(restore, running, deps.concurrentRestores)) return { requeueAfterMs: slotRecheckMs };
  const defaultItemOperationTimeout = formatGoDuration(deps.defaultItemOperationTimeoutMs);
  const facts = await gatherRestore(restore, { backups, world, defaultItemOperationTimeout }, scope);
  const prepared = prepareRestore(restore, facts);
  if (prepared.validationErrors.length > 0 || !prepared.backup) {
    const status = { phase: "FailedValidation", validationErrors: prepared.validationErrors };
    deps.onPhase?.(await restores.patchUnchanged(restore, { spec: prepared.spec, status }, scope));
    return done;
  }
  const status = { phase: "InProgress", startTimestamp: kubernetesTime(world.clock.now()) };
  const claim = { holder: world.holder, patch: { spec: prepared.spec, status } };
  const taken = await ClaimedRun.take(restores, restore, claim, scope);
  if (!taken) return { requeueAfterMs: slotRecheckMs };
  deps.onPhase?.(taken.object);
  const request = {
    restore: taken.object,
    backup: prepared.backup,
    modifiers: prepared.modifiers,
    policies: prepared.policies,
  };
  await run(request, taken.run, deps, hooks, scope);
  return done;
}

function failedStatus(failureReason: string, { clock }: RunSurroundings) {
  return { phase: "Failed" as const, failureReason, completionTimestamp: kubernetesTime(clock.now()) };
}

/** A restore whose server ended is run again: the engine knows its own work and does the rest. */
async function recoverRestore(
  restore: Restore,
  deps: RestoreDeps,
  hooks: Map<string, RestoreHooks>,
  scope: Scope,
): Promise<ReconcileResult> {
  const { restores, backups, world } = deps;
  const recovery = decideRecovery({ kind: "restore", attempts: attemptOf(restore), onRestart: world.onRestart });
  if (recovery.kind === "fail" || isCancelRequested(restore)) {
    const reason = recovery.kind === "fail" ? recovery.reason : "Canceled by user";
    return giveUp(restore, reason, deps, scope);
  }
  const defaultItemOperationTimeout = formatGoDuration(deps.defaultItemOperationTimeoutMs);
  const prepared = prepareRestore(
    restore,
    await gatherRestore(restore, { backups, world, defaultItemOperationTimeout }, scope),
  );
  if (!prepared.backup) {
    const failureReason = `the restore cannot be continued: ${prepared.validationErrors.join("; ")}`;
    await restores.patchUnchanged(restore, { status: failedStatus(failureReason, world) }, scope);
    return done;
  }
  const taken = await ClaimedRun.take(restores, restore, { holder: world.holder, patch: {} }, scope);
  if (!taken) return { requeueAfterMs: slotRecheckMs };
  scope.log.info("restore is run again after its server ended", { attempt: taken.run.attempt });
  {
    await using store = await openBackupStore(prepared.backup, world, scope);
    await using plugins = await world.openPlugins(scope.log, scope);
    await cancelEarlierOperations(restore, { store, plugins }, scope);
    await forgetEarlierAccount(restore, { store }, scope);
  }
  const request = {
    restore: taken.object,
    backup: prepared.backup,
    modifiers: prepared.modifiers,
    policies: prepared.policies,
  };
  await run(request, taken.run, deps, hooks, scope);
  return done;
}

/** Ends a restore that is not run again. What it had started is stopped first. */
async function giveUp(restore: Restore, reason: string, deps: RestoreDeps, scope: Scope): Promise<ReconcileResult> {
  const { restores, backups, world } = deps;
  const taken = await ClaimedRun.take(restores, restore, { holder: world.holder, patch: {} }, scope);
  if (!taken) return { requeueAfterMs: slotRecheckMs };
  const backup = await backups.find(restore.spec.backupName ?? "", scope);
  if (backup) {
    await using store = await openBackupStore(backup, world, scope);
    await using plugins = await world.openPlugins(scope.log, scope);
    await cancelEarlierOperations(restore, { store, plugins }, scope);
  }
  deps.onPhase?.(await taken.run.patchStatus(failedStatus(reason, world), scope));
  return done;
}

async function run(
  request: Pick<RestoreRequest, "restore" | "backup" | "modifiers" | "policies">,
  claimed: ClaimedRun<Restore>,
  deps: RestoreDeps,
  hooks: Map<string, RestoreHooks>,
  scope: Scope,
): Promise<void> {
  const { name } = request.restore.metadata;
  using activeRun = deps.active.begin(name, new AbortController().signal);
  const status = await runOrFail(request, { claimed, deps, hooks, cancel: activeRun.signal }, scope);
  // A status that cannot be written says nothing about the restore: it is run again then, and finds its work done.
  deps.onPhase?.(await claimed.patchStatus(status as Record<string, unknown>, scope));
}

async function runOrFail(
  request: Pick<RestoreRequest, "restore" | "backup" | "modifiers" | "policies">,
  run: {
    readonly claimed: ClaimedRun<Restore>;
    readonly deps: RestoreDeps;
    readonly hooks: Map<string, RestoreHooks>;
    readonly cancel: AbortSignal;
  },
  scope: Scope,
): Promise<RestoreStatus> {
  const { claimed, deps, hooks, cancel } = run;
  const { world } = deps;
  const { name, uid = "" } = request.restore.metadata;
  using live = deps.liveLogs.offer(name);
  try {
    await using store = await openBackupStore(request.backup, world, scope);
    await using scratch = await world.openScratch(scope);
    const ports = {
      cluster: world.cluster,
      plugins: (inner: Scope) => world.openPlugins(inner.log, inner),
      saveOperations: (operations: readonly RestoreOperation[], inner: Scope) =>
        putJson(store, restoreKeys(name).itemOperations, operations, inner),
      onLog: live.onLog,
      store,
      scratch,
      clock: world.clock,
      patchStatus: async (status: object, inner: Scope) =>
        void (await claimed.patchStatus(status as Record<string, unknown>, inner)),
      snapshotLocation: (location: string, inner: Scope) => openSnapshotLocation(location, world, inner),
    };
    const settings = await withVersionPriorities(deps.settings, deps.restores.namespace, world, scope);
    const result = await runRestore({ ...request, settings, cancel }, ports, scope);
    if (isFinalizing(result.status.phase) || result.status.phase?.startsWith("Waiting")) hooks.set(uid, result.hooks);
    else await result.hooks[Symbol.asyncDispose]();
    const canceled = cancel.aborted ? { failureReason: messageOf(cancel.reason) } : {};
    return { ...result.status, ...(result.status.phase === "Failed" ? canceled : {}) };
  } catch (error) {
    scope.signal.throwIfAborted();
    const failureReason = messageOf(error);
    scope.log.error("restore failed", { error: failureReason });
    return failedStatus(failureReason, world);
  }
}

async function finishRestore(
  restore: Restore,
  deps: RestoreDeps,
  hooks: Map<string, RestoreHooks>,
  scope: Scope,
): Promise<ReconcileResult> {
  const { restores, backups, world } = deps;
  const claimed = await ClaimedRun.adopt(restores, restore, { holder: world.holder }, scope);
  if (!claimed) return { requeueAfterMs: slotRecheckMs };
  const backup = await backups.find(restore.spec.backupName ?? "", scope);
  const uid = restore.metadata.uid ?? "";
  const own = hooks.get(uid);
  if (!backup) {
    await own?.[Symbol.asyncDispose]();
    const status = { phase: "PartiallyFailed", completionTimestamp: kubernetesTime(world.clock.now()) };
    deps.onPhase?.(await claimed.patchStatus(status, scope));
    return done;
  }
  await using store = await openBackupStore(backup, world, scope);
  const request = { restore, settings: deps.settings, ...(own ? { hooks: own } : {}) };
  const status = await finalizeRestore(request, { cluster: world.cluster, store, clock: world.clock }, scope);
  hooks.delete(uid);
  await own?.[Symbol.asyncDispose]();
  deps.onPhase?.(await claimed.patchStatus(status as Record<string, unknown>, scope));
  return done;
}

/** Removes a restore's files before its resource goes. */
async function removeRestore(
  restore: Restore,
  { restores, backups, world, cancelOperations }: RestoreDeps,
  scope: Scope,
): Promise<ReconcileResult> {
  const { name, finalizers = [] } = restore.metadata;
  if (!finalizers.includes(restoreFinalizer)) return done;
  await cancelOperations(restore, scope);
  const backup = restore.spec.backupName ? await backups.find(restore.spec.backupName, scope) : undefined;
  if (backup) {
    await using store = await openBackupStore(backup, world, scope);
    if (restore.status?.phase === "InProgress") {
      // Its server ended, or could not say how it went: what it had started is known from its file alone.
      await using plugins = await world.openPlugins(scope.log, scope);
      await cancelEarlierOperations(restore, { store, plugins }, scope);
    }
    const errors = await deleteFolder(store, restoreKeys(name).directory, {}, scope);
    if (errors.length > 0) throw new Error(errors.join("; "));
  }
  await restores.patch(name, { metadata: { finalizers: finalizers.filter((one) => one !== restoreFinalizer) } }, scope);
  return done;
}
