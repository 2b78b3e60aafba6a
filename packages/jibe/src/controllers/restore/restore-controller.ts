import { formatGoDuration, messageOf, type Scope, withFields } from "@jibe/base";
import {
  deleteFolder,
  isEnded,
  isFinalizing,
  kubernetesTime,
  prepareRestore,
  putJson,
  type RestoreHooks,
  type RestoreOperation,
  type RestoreRequest,
  restoreKeys,
  runRestore,
} from "@jibe/engine";
import { canceledByUser, restoreFinalizer as finalizerName } from "../../api/names.ts";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Restore, RestoreStatus } from "../../api/resources.ts";
import { type ActiveRuns, isCancelRequested } from "../active-runs.ts";
import { undoUnlessCanceled } from "../cancel-left-operations.ts";
import { attemptOf, ClaimedRun } from "../claimed-run.ts";
import { type Controller, done, type ReconcileResult } from "../controller.ts";
import { decideRecovery } from "../decide-recovery.ts";
import { failedStatus } from "../failed-status.ts";
import { finalizeRun } from "../finalize-run.ts";
import type { LiveLogs } from "../live-logs.ts";
import { progressPorts } from "../progress-ports.ts";
import { openBackupStore, openSnapshotLocation } from "../run-surroundings.ts";
import { mayStartRestore } from "./decide-start.ts";
import { cancelEarlierOperations, forgetEarlierAccount } from "./earlier-attempt.ts";
import { gatherRestore } from "./gather-restore.ts";
import { type RestoreFinalizerDeps, restoreFinalizer, stopHooks } from "./restore-finalizer.ts";
import { withVersionPriorities } from "./version-priorities.ts";

export interface RestoreDeps extends RestoreFinalizerDeps {
  readonly active: ActiveRuns;
  readonly liveLogs: LiveLogs;
  readonly concurrentRestores: number;
  readonly defaultItemOperationTimeoutMs: number;
  /** Cancels the operations that a waiting restore still has. */
  readonly cancelOperations: (restore: Restore, scope: Scope) => Promise<void>;
}

const slotRecheckMs = 1000;

/** Runs restores from their request to their end, except for the wait for operations, which has its own controller. */
export function restoreController(deps: RestoreDeps): Controller {
  const { restores, active, world } = deps;
  const hooks = new Map<string, RestoreHooks>();
  const finalizer = restoreFinalizer(deps, hooks);
  const reconcile = async (name: string, scope: Scope): Promise<ReconcileResult> => {
    const restore = await restores.find(name, scope);
    if (!restore || active.isRunning(name)) return done;
    const own = withFields(scope, { restore: `${restores.namespace}/${name}` });
    if (restore.metadata.deletionTimestamp || isEnded(restore.status?.phase)) await stopHooks(restore, hooks);
    if (restore.metadata.deletionTimestamp) return removeRestore(restore, deps, own);
    if (!restore.metadata.finalizers?.includes(finalizerName)) {
      const finalizers = [...(restore.metadata.finalizers ?? []), finalizerName];
      await restores.patchUnchanged(restore, { metadata: { finalizers } }, own);
      return { requeueAfterMs: 0 };
    }
    const phase = restore.status?.phase;
    if (phase === undefined || phase === "New") return startRestore(restore, deps, hooks, own);
    if (phase === "InProgress") return recoverRestore(restore, deps, hooks, own);
    if (isFinalizing(phase)) return finalizeRun(name, finalizer, own);
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
    deps.onPhase(await restores.patchUnchanged(restore, { status: failedStatus(canceledByUser, world) }, scope));
    return done;
  }
  const running = (await restores.list({}, scope)).filter(({ metadata }) => active.isRunning(metadata.name));
  if (!mayStartRestore(restore, running, deps.concurrentRestores)) return { requeueAfterMs: slotRecheckMs };
  const defaultItemOperationTimeout = formatGoDuration(deps.defaultItemOperationTimeoutMs);
  const facts = await gatherRestore(restore, { backups, world, defaultItemOperationTimeout }, scope);
  const { spec, backup, modifiers, policies, validationErrors } = prepareRestore(restore, facts);
  if (validationErrors.length > 0 || !backup) {
    const status = { phase: "FailedValidation", validationErrors };
    deps.onPhase(await restores.patchUnchanged(restore, { spec, status }, scope));
    return done;
  }
  const status = { phase: "InProgress", startTimestamp: kubernetesTime(world.clock.now()) };
  const claim = { holder: world.holder, patch: { spec, status } };
  using activeRun = active.begin(restore.metadata.name, new AbortController().signal);
  const taken = await ClaimedRun.take(restores, restore, claim, scope);
  if (!taken) return { requeueAfterMs: slotRecheckMs };
  deps.onPhase(taken.object);
  const request = { restore: taken.object, backup, modifiers, policies };
  await run(request, { claimed: taken.run, deps, hooks, cancel: activeRun.signal }, scope);
  return done;
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
    const reason = recovery.kind === "fail" ? recovery.reason : canceledByUser;
    return giveUp(restore, reason, deps, scope);
  }
  const defaultItemOperationTimeout = formatGoDuration(deps.defaultItemOperationTimeoutMs);
  const facts = await gatherRestore(restore, { backups, world, defaultItemOperationTimeout }, scope);
  const { backup, modifiers, policies, validationErrors } = prepareRestore(restore, facts);
  if (!backup) {
    const failureReason = `the restore cannot be continued: ${validationErrors.join("; ")}`;
    await restores.patchUnchanged(restore, { status: failedStatus(failureReason, world) }, scope);
    return done;
  }
  using activeRun = deps.active.begin(restore.metadata.name, new AbortController().signal);
  const taken = await ClaimedRun.take(restores, restore, { holder: world.holder, patch: {} }, scope);
  if (!taken) return { requeueAfterMs: slotRecheckMs };
  scope.log.info("restore is run again after its server ended", { attempt: taken.run.attempt });
  {
    await using store = await openBackupStore(backup, world, scope);
    await using plugins = await world.openPlugins(scope.log, scope);
    const undo = (inner: Scope) => cancelEarlierOperations(restore, { store, plugins, clock: world.clock }, inner);
    await undoUnlessCanceled(undo, { canceled: activeRun.signal, clock: world.clock }, scope);
    await forgetEarlierAccount(restore, { store }, scope);
  }
  const request = { restore: taken.object, backup, modifiers, policies };
  await run(request, { claimed: taken.run, deps, hooks, cancel: activeRun.signal }, scope);
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
    await cancelEarlierOperations(restore, { store, plugins, clock: world.clock }, scope);
  }
  deps.onPhase(await taken.run.patchStatus(failedStatus(reason, world), scope));
  return done;
}

/** A run that was noted as active before it was taken: so a cancel cannot come between the two. */
interface TakenRun {
  readonly claimed: ClaimedRun<Restore>;
  readonly deps: RestoreDeps;
  readonly hooks: Map<string, RestoreHooks>;
  readonly cancel: AbortSignal;
}

async function run(
  request: Pick<RestoreRequest, "restore" | "backup" | "modifiers" | "policies">,
  taken: TakenRun,
  scope: Scope,
): Promise<void> {
  const status = await runOrFail(request, taken, scope);
  // A status that cannot be written says nothing about the restore: it is run again then, and finds its work done.
  taken.deps.onPhase(await taken.claimed.patchStatus(status as Record<string, unknown>, scope));
}

async function runOrFail(
  request: Pick<RestoreRequest, "restore" | "backup" | "modifiers" | "policies">,
  { claimed, deps, hooks, cancel }: TakenRun,
  scope: Scope,
): Promise<RestoreStatus> {
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
      ...progressPorts(claimed),
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

/** Removes a restore's files before its resource goes. */
async function removeRestore(
  restore: Restore,
  { restores, backups, world, cancelOperations }: RestoreDeps,
  scope: Scope,
): Promise<ReconcileResult> {
  const { name, finalizers = [] } = restore.metadata;
  if (!finalizers.includes(finalizerName)) return done;
  await cancelOperations(restore, scope);
  const backup = restore.spec.backupName ? await backups.find(restore.spec.backupName, scope) : undefined;
  if (backup) {
    await using store = await openBackupStore(backup, world, scope);
    if (restore.status?.phase === "InProgress") {
      // Its server ended, or could not say how it went: what it had started is known from its file alone.
      await using plugins = await world.openPlugins(scope.log, scope);
      await cancelEarlierOperations(restore, { store, plugins, clock: world.clock }, scope);
    }
    const errors = await deleteFolder(store, restoreKeys(name).directory, {}, scope);
    if (errors.length > 0) throw new Error(errors.join("; "));
  }
  await restores.patch(name, { metadata: { finalizers: finalizers.filter((one) => one !== finalizerName) } }, scope);
  return done;
}
