import { AppError, type Clock, type Scope } from "@jibe/base";
import { type OperationPlugin, OperationPoller, type PolledOperation } from "@jibe/engine";
import type { Backup, Restore } from "../api/resources.ts";
import { isCancelRequested } from "./active-runs.ts";

/** How patiently the work of an attempt is undone whose server ended. */
export interface UndoTimes {
  readonly clock: Clock;
  /** For all calls of one sort together, as a plugin may hang. */
  readonly withinMs: number;
}

const canceledMs = 20_000;

/** The next attempt can wait for a slow plugin; a user who canceled the run does not. */
export function undoTimes(object: Backup | Restore, clock: Clock): UndoTimes {
  return { clock, withinMs: isCancelRequested(object) ? canceledMs : 600_000 };
}

/** Undoes with patience, until the run is canceled: what has not answered 20 s later is given up. */
export async function undoUnlessCanceled(
  undo: (scope: Scope) => Promise<void>,
  { canceled, clock }: { readonly canceled: AbortSignal; readonly clock: Clock },
  scope: Scope,
): Promise<void> {
  const late = new AbortController();
  const giveUp = () => late.abort(new AppError("DeadlineExceeded", "the run was canceled meanwhile"));
  let timer: Disposable | undefined;
  const hurry = () => {
    timer ??= clock.after(canceledMs, giveUp);
  };
  canceled.addEventListener("abort", hurry);
  if (canceled.aborted) hurry();
  try {
    await undo({ ...scope, signal: AbortSignal.any([scope.signal, late.signal]) });
  } catch (error) {
    if (scope.signal.aborted || !late.signal.aborted) throw error;
    scope.log.warn("a plugin does not answer: what an earlier attempt had started may still be there");
  } finally {
    canceled.removeEventListener("abort", hurry);
    timer?.[Symbol.dispose]();
  }
}

export const undosAtOnce = 16;

/** Cancels what an attempt left running. What fails is logged: the next attempt counts. */
export async function cancelLeftOperations<O extends PolledOperation>(
  operations: readonly O[],
  plugin: OperationPlugin<O>,
  { clock, withinMs }: UndoTimes,
  scope: Scope,
): Promise<void> {
  const limits = { clock, timeoutMs: 0, frequencyMs: 0, limit: undosAtOnce, cancelMs: withinMs };
  await new OperationPoller(operations, plugin, limits).cancelAll("its server ended", scope);
}
