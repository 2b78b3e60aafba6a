import type { Clock, Scope } from "@jibe/base";
import { type OperationPlugin, OperationPoller, type PolledOperation } from "@jibe/engine";
import type { Backup, Restore } from "../api/resources.ts";
import { isCancelRequested } from "./active-runs.ts";

/** How patiently the work of an attempt is undone whose server ended. */
export interface UndoTimes {
  readonly clock: Clock;
  /** For all calls of one sort together, as a plugin may hang. */
  readonly withinMs: number;
}

/** The next attempt can wait for a slow plugin; a user who canceled the run does not. */
export function undoTimes(object: Backup | Restore, clock: Clock): UndoTimes {
  return { clock, withinMs: isCancelRequested(object) ? 20_000 : 600_000 };
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
