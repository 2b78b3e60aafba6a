import { hasCode, isRetriable, messageOf } from "@jibe/base";
import type { OperationProgress } from "@jibe/plugin-sdk/contracts";
import { kubernetesTime } from "../layout/go-json.ts";
import type { OperationStatus } from "./item-operation.ts";

/** What a plugin said when asked about an operation: how far it is, or an error. */
export type OperationAnswer =
  | { readonly ok: true; readonly progress: OperationProgress }
  | { readonly ok: false; readonly error: unknown };

export interface Judgement {
  readonly status: OperationStatus;
  /** Errors so far without a good answer between them. */
  readonly errorsInARow: number;
  /** Those of them that do not pass by themselves, without any other between them. */
  readonly refusalsInARow: number;
  /** Set when the operation failed by this answer. */
  readonly failure?: string;
  /** Set when it may still be running: the plugin is to be told to stop it. */
  readonly cancel?: true;
}

export interface JudgeContext {
  readonly now: Date;
  /** How long the operation may take since it was created. */
  readonly timeoutMs: number;
  readonly errorsInARow: number;
  readonly refusalsInARow: number;
}

/** So many answers in a row must be errors before an operation counts as failed for a reason that may pass. */
const toleratedRefusals = 3;

/** The reason that Velero gives, too. */
export const timedOut = "Asynchronous action timed out";

/**
 * What an answer makes of an operation. A plugin that cannot answer for now is asked again until the operation's time is up; one
 * that knows no such operation, or no operations at all, has lost it for good.
 */
export function judgeAnswer(status: OperationStatus, answer: OperationAnswer, context: JudgeContext): Judgement {
  if (!answer.ok) return judgeError(status, answer.error, context);
  const { progress } = answer;
  const told = withProgress(status, progress);
  if (progress.completed) {
    const failure = progress.error ? progress.error : undefined;
    return failure === undefined ? { status: { ...told, phase: "Completed" }, ...noErrors } : failed(told, failure);
  }
  if (isOver(status, context)) return { ...failed(told, timedOut), cancel: true };
  const hasStarted = status.phase === "InProgress" || told.started !== undefined;
  return { status: { ...told, phase: hasStarted ? "InProgress" : "New" }, ...noErrors };
}

function judgeError(status: OperationStatus, error: unknown, context: JudgeContext): Judgement {
  const text = messageOf(error);
  const errorsInARow = context.errorsInARow + 1;
  if (hasCode(error, "InvalidArgument") || hasCode(error, "Unsupported")) return failed(status, text);
  if (isOver(status, context))
    return { ...failed(status, `${timedOut}; the plugin's last answer: ${text}`), cancel: true };
  const refusalsInARow = isRetriable(error) ? 0 : context.refusalsInARow + 1;
  if (refusalsInARow < toleratedRefusals) return { status, errorsInARow, refusalsInARow };
  return { ...failed(status, text), cancel: true };
}

const noErrors = { errorsInARow: 0, refusalsInARow: 0 } as const;

function failed(status: OperationStatus, failure: string): Judgement {
  return { status: { ...status, phase: "Failed", error: failure }, ...noErrors, failure };
}

function isOver({ created }: OperationStatus, { now, timeoutMs }: JudgeContext): boolean {
  return created !== undefined && Date.parse(created) + timeoutMs < now.getTime();
}

function withProgress(status: OperationStatus, progress: OperationProgress): OperationStatus {
  const { nCompleted, nTotal, operationUnits, description, started, updated } = progress;
  return {
    ...status,
    // Zeros are left out of the file.
    ...(nCompleted ? { nCompleted } : {}),
    ...(nTotal ? { nTotal } : {}),
    ...(operationUnits ? { operationUnits } : {}),
    ...(description ? { description } : {}),
    ...(started ? { started: kubernetesTime(started) } : {}),
    ...(updated ? { updated: kubernetesTime(updated) } : {}),
  };
}

/** Whether an operation is still under way. */
export function isRunning({ phase }: OperationStatus): boolean {
  return phase === "New" || phase === "InProgress";
}
