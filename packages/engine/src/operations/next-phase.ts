import type { BackupPhase } from "@jibe/plugin-sdk/contracts";
import type { OperationStatus } from "./item-operation.ts";
import { isRunning } from "./judge-answer.ts";

/** How the operations of a run stand. */
export interface Tally {
  readonly running: number;
  readonly completed: number;
  readonly failed: number;
}

export function tallyOf(operations: Iterable<{ readonly status: OperationStatus }>): Tally {
  let running = 0;
  let completed = 0;
  let failed = 0;
  for (const { status } of operations) {
    if (isRunning(status)) running++;
    else if (status.phase === "Completed") completed++;
    else failed++;
  }
  return { running, completed, failed };
}

export type WaitingPhase = "WaitingForPluginOperations" | "WaitingForPluginOperationsPartiallyFailed";
export type FinalizingPhase = "Finalizing" | "FinalizingPartiallyFailed";
export type EndPhase = "Completed" | "PartiallyFailed";

const waiting = { whole: "WaitingForPluginOperations", partial: "WaitingForPluginOperationsPartiallyFailed" } as const;
const finalizing = { whole: "Finalizing", partial: "FinalizingPartiallyFailed" } as const;

/** Where a run goes once its items are done: to wait for its operations, or to be finalized. Errors are remembered by the twin phases. */
export function phaseAfterItems({
  errors,
  running,
}: {
  readonly errors: number;
  readonly running: number;
}): WaitingPhase | FinalizingPhase {
  const phases = running > 0 ? waiting : finalizing;
  return errors > 0 ? phases.partial : phases.whole;
}

/** Where a waiting run goes after its operations were asked. A failure is remembered until the end. */
export function phaseAfterPoll(
  phase: WaitingPhase,
  { running, newFailures }: { readonly running: number; readonly newFailures: number },
): WaitingPhase | FinalizingPhase {
  const isPartial = newFailures > 0 || phase === waiting.partial;
  const phases = running > 0 ? waiting : finalizing;
  return isPartial ? phases.partial : phases.whole;
}

/** Where a finalizing run ends: errors that came before are remembered, and finalizing may add some. */
export function phaseAfterFinalizing(phase: FinalizingPhase, { newErrors }: { readonly newErrors: number }): EndPhase {
  return phase === finalizing.partial || newErrors > 0 ? "PartiallyFailed" : "Completed";
}

export function isWaiting(phase: string | undefined): phase is WaitingPhase {
  return phase === waiting.whole || phase === waiting.partial;
}

export function isFinalizing(phase: string | undefined): phase is FinalizingPhase {
  return phase === finalizing.whole || phase === finalizing.partial;
}

const endPhases: ReadonlySet<string | undefined> = new Set<BackupPhase>([
  "FailedValidation",
  "Completed",
  "PartiallyFailed",
  "Failed",
]);

/** Whether a backup or restore has come to its end. */
export function isEnded(phase: string | undefined): boolean {
  return endPhases.has(phase);
}
