import { AppError, hasCode, type Scope } from "@jibe/base";
import { isWaiting } from "@jibe/engine";
import { canceledByUser } from "../../api/names.ts";
import type { Backup, Restore } from "../../api/resources.ts";
import { isCancelRequested, RunStopped } from "../active-runs.ts";
import type { Interruptible } from "../cancel/cancel-controller.ts";
import { ClaimedRun } from "../claimed-run.ts";
import { type Controller, done, type ReconcileResult } from "../controller.ts";
import type { Resources } from "../resources.ts";
import type { ItemOperation, OperationsKind } from "./operations-kind.ts";
import { loadWaitingRun, WaitingRun, type WaitingRunDeps } from "./waiting-run.ts";
import { isStoreGone, statusWithoutStore } from "./without-store.ts";

export interface OperationsDeps<T extends Backup | Restore> extends WaitingRunDeps {
  readonly resources: Resources<T>;
  readonly holder: string;
}

export interface OperationsController<T> extends Controller, Interruptible {
  /** Writes what was learned since the file was last written, for someone who wants to read it. */
  flush(name: string, scope: Scope): Promise<void>;
  /** What runs now, over all waiting objects. */
  running(): readonly { readonly plugin: string; readonly since: Date }[];
  /** Cancels what still runs, before the object is deleted. From then on nothing is written about it any more. */
  cancel(object: T, reason: string, scope: Scope): Promise<void>;
}

/** Asks the plugins of waiting runs about their operations, and moves each run on once these have ended. */
export function operationsController<T extends Backup | Restore, O extends ItemOperation>(
  kind: OperationsKind<T, O>,
  deps: OperationsDeps<T>,
): OperationsController<T> {
  const waiting = new Map<string, WaitingRun<T, O>>();
  /** Being deleted, or deleted. */
  const leaving = new Set<string>();
  const open = async (object: T, scope: Scope): Promise<WaitingRun<T, O> | undefined> => {
    const known = waiting.get(uidOf(object));
    if (known) return known;
    const run = await ClaimedRun.adopt(deps.resources, object, { holder: deps.holder }, scope);
    if (!run) return undefined;
    const made = await loadWaitingRun({ kind, deps, object, run }, scope);
    if (!leaving.has(uidOf(object))) waiting.set(uidOf(object), made);
    return made;
  };
  const advance = async (object: T, scope: Scope): Promise<ReconcileResult> => {
    const run = await open(object, scope);
    if (!run) return { requeueAfterMs: 1000 };
    if (leaving.has(uidOf(object))) return done;
    const again = isCancelRequested(object)
      ? await run.cancel(canceledByUser, object, scope)
      : await run.poll(object, scope);
    if (again === undefined) waiting.delete(uidOf(object));
    return again === undefined ? done : { requeueAfterMs: again };
  };
  const abandon = async (object: T, scope: Scope): Promise<ReconcileResult> => {
    const run = await ClaimedRun.adopt(deps.resources, object, { holder: deps.holder }, scope);
    if (!run) return { requeueAfterMs: 1000 };
    scope.log.warn("the files of a waiting run are gone with their location", { [kind.kind]: object.metadata.name });
    const known = waiting.get(uidOf(object)) ?? new WaitingRun<T, O>({ kind, deps, object, run }, []);
    await known.abandon(statusWithoutStore(kind.kind, object, deps.clock), scope);
    waiting.delete(uidOf(object));
    return done;
  };
  return {
    name: `${kind.kind}-operations`,
    type: kind.type,
    workers: 4,
    resyncMs: deps.frequencyMs,
    reconcile: async (name, scope): Promise<ReconcileResult> => {
      const object = await deps.resources.find(name, scope);
      if (!object || !isWaiting(object.status?.phase)) {
        if (object) waiting.delete(uidOf(object));
        return done;
      }
      if (object.metadata.deletionTimestamp) return done; // whoever deletes it cancels first
      try {
        return await advance(object, scope);
      } catch (error) {
        if (leaving.has(uidOf(object))) return done;
        // Taken over by a server that should have stopped: it is taken back with the next look.
        if (error instanceof RunStopped || hasCode(error, "Conflict")) waiting.delete(uidOf(object));
        if (error instanceof RunStopped) return { requeueAfterMs: 0 };
        const isLost = hasCode(error, "NotFound") && (await isStoreGone(object, kind.openStore, scope));
        if (isLost) return abandon(object, scope);
        throw error;
      }
    },
    flush: async (name, scope) => {
      const object = await deps.resources.find(name, scope);
      await waiting.get(object ? uidOf(object) : "")?.save(scope);
    },
    isPolling: (name) => [...waiting.values()].some((run) => run.name === name),
    interrupt: async (name) => {
      for (const run of waiting.values()) if (run.name === name) await run.interrupt();
    },
    running: () => [...waiting.values()].flatMap((run) => run.running()),
    cancel: async (object, reason, scope) => {
      if (!isWaiting(object.status?.phase) && object.status?.phase !== "Deleting") return;
      leaving.add(uidOf(object));
      await waiting.get(uidOf(object))?.stop();
      const run = await open(object, scope);
      if (!run) throw new AppError("Conflict", `${kind.kind} ${JSON.stringify(object.metadata.name)} was changed`);
      await run.cancelOnly(reason, scope);
      waiting.delete(uidOf(object));
    },
  };
}

const uidOf = ({ metadata }: Backup | Restore) => metadata.uid ?? "";
