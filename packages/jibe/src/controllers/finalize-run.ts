import type { Scope } from "@jibe/base";
import { isFinalizing } from "@jibe/engine";
import type { Backup, Restore } from "../api/resources.ts";
import { type ActiveRuns, isCancelRequested } from "./active-runs.ts";
import { ClaimedRun } from "./claimed-run.ts";
import { done, type ReconcileResult } from "./controller.ts";
import type { Resources } from "./resources.ts";

/** How a run ended. */
export interface FinalizedRun {
  readonly status: object;
  readonly archiveBytes?: number | undefined;
}

export interface Finalizing<T extends Backup | Restore> {
  readonly resources: Resources<T>;
  readonly holder: string;
  /** The runs that are being finalized here. */
  readonly finalizing: ActiveRuns;
  /** Does the last step. Rejects soon after the cancel, but not once it has begun to write down how the run ended. */
  finish(object: T, cancel: AbortSignal, scope: Scope): Promise<FinalizedRun>;
  /** Ends the run in bounded time, without the last step or what is left of it. */
  endCanceled(object: T, scope: Scope): Promise<FinalizedRun>;
  onEnded(object: T, run: FinalizedRun): void;
}

/** Brings a run whose operations have ended to its end, or stops it when a user asks for that first. */
export async function finalizeRun<T extends Backup | Restore>(
  name: string,
  parts: Finalizing<T>,
  scope: Scope,
): Promise<ReconcileResult> {
  const { resources, holder, finalizing } = parts;
  using run = finalizing.begin(name, scope.signal);
  // Read only now: a cancel that comes later finds the run noted.
  const object = await resources.find(name, scope);
  if (!object || !isFinalizing(object.status?.phase)) return done;
  const claimed = await ClaimedRun.adopt(resources, object, { holder }, scope);
  if (!claimed) return { requeueAfterMs: 1000 };
  const ended = isCancelRequested(object)
    ? await parts.endCanceled(object, scope)
    : await parts.finish(object, run.signal, scope).catch((error: unknown) => {
        scope.signal.throwIfAborted();
        if (!run.signal.aborted) throw error;
        return parts.endCanceled(object, scope);
      });
  parts.onEnded(await claimed.patchStatus(ended.status as Record<string, unknown>, scope), ended);
  return done;
}
