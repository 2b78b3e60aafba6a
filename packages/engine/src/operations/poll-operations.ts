import { type Clock, forEachConcurrent, messageOf, type Scope, withDeadline } from "@jibe/base";
import type { OperationProgress } from "@jibe/plugin-sdk/contracts";
import type { OperationStatus } from "./item-operation.ts";
import { isRunning, judgeAnswer } from "./judge-answer.ts";

/** The part of a backup's or restore's operation that polling touches. */
export interface PolledOperation {
  readonly spec: { readonly operationID: string };
  readonly status: OperationStatus;
}

/** How to reach the plugin behind an operation. */
export interface OperationPlugin<O> {
  progress(operation: O, scope: Scope): Promise<OperationProgress>;
  cancel(operation: O, scope: Scope): Promise<void>;
  /** The name that messages carry. */
  pluginOf(operation: O): string;
}

export interface PollOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** The longest time between two questions about one operation. */
  readonly frequencyMs: number;
  /** How many questions are open at once. */
  readonly limit: number;
  /** How long all of them together may take to be canceled; 20 s unless given: a user waits, and a plugin may hang. */
  readonly cancelMs?: number;
}

export interface OperationFailure<O> {
  readonly operation: O;
  readonly message: string;
}

export interface PollOutcome<O> {
  /** Operations that failed by this poll. */
  readonly failures: readonly OperationFailure<O>[];
  readonly hasChanged: boolean;
  /** When something is to be asked next; nothing once all have ended. */
  readonly nextInMs?: number;
}

const firstDelayMs = 1000;

/**
 * The operations of one run while it waits for them. Kept in memory between polls; what a poll learned is read back from
 * `operations`, to be saved by the caller.
 */
export class OperationPoller<O extends PolledOperation> {
  readonly #plugin: OperationPlugin<O>;
  readonly #options: PollOptions;
  #operations: O[];
  readonly #state = new Map<number, { errorsInARow: number; refusalsInARow: number; dueMs: number }>();

  constructor(operations: readonly O[], plugin: OperationPlugin<O>, options: PollOptions) {
    this.#operations = [...operations];
    this.#plugin = plugin;
    this.#options = options;
  }

  get operations(): readonly O[] {
    return this.#operations;
  }

  /** Asks about every operation that is due, several at once. Young operations are asked more often than old ones. */
  async poll(scope: Scope): Promise<PollOutcome<O>> {
    const { clock, limit } = this.#options;
    const nowMs = clock.now().getTime();
    const due = this.#operations
      .map((_, index) => index)
      .filter((index) => this.#isDue(index, nowMs))
      .sort((a, b) => (this.#state.get(a)?.dueMs ?? 0) - (this.#state.get(b)?.dueMs ?? 0));
    const failures: OperationFailure<O>[] = [];
    let hasChanged = false;
    await forEachConcurrent(
      due,
      {
        limit,
        each: async (index, inner) => {
          const result = await this.#ask(index, inner);
          hasChanged ||= result.hasChanged;
          if (result.failure) failures.push(result.failure);
        },
      },
      scope,
    );
    const nextInMs = this.#nextInMs();
    return { failures, hasChanged, ...(nextInMs === undefined ? {} : { nextInMs }) };
  }

  /**
   * Cancels whatever still runs and marks it failed for the given reason. Errors of a cancel are logged and recorded, and so is a plugin
   * that does not answer in time.
   */
  async cancelAll(reason: string, scope: Scope): Promise<readonly OperationFailure<O>[]> {
    const { clock, cancelMs = 20_000 } = this.#options;
    const untilMs = clock.monotonicMs() + cancelMs;
    const failures: OperationFailure<O>[] = [];
    const running = this.#operations.map((_, index) => index).filter((index) => this.#isRunning(index));
    await forEachConcurrent(
      running,
      {
        limit: this.#options.limit,
        each: async (index, inner) => {
          const operation = this.#operations[index];
          if (!operation) return;
          const deadline = { ms: Math.max(1, untilMs - clock.monotonicMs()), clock, what: "canceling" };
          const error = `${reason}${await this.#cancel(operation, inner, deadline)}`;
          failures.push(this.#set(index, { ...operation.status, phase: "Failed", error }, error));
        },
      },
      scope,
    );
    return failures;
  }

  async #ask(index: number, scope: Scope): Promise<{ hasChanged: boolean; failure?: OperationFailure<O> }> {
    const operation = this.#operations[index];
    if (!operation) return { hasChanged: false };
    const { clock, timeoutMs } = this.#options;
    const answer = await this.#plugin.progress(operation, scope).then(
      (progress) => ({ ok: true, progress }) as const,
      (error: unknown) => {
        scope.signal.throwIfAborted();
        return { ok: false, error } as const;
      },
    );
    const { errorsInARow = 0, refusalsInARow = 0 } = this.#state.get(index) ?? {};
    const now = clock.now();
    const judged = judgeAnswer(operation.status, answer, { now, timeoutMs, errorsInARow, refusalsInARow });
    this.#state.set(index, {
      errorsInARow: judged.errorsInARow,
      refusalsInARow: judged.refusalsInARow,
      dueMs: now.getTime() + this.#delayMs(operation, now, judged.errorsInARow),
    });
    if (!answer.ok && judged.failure === undefined) {
      const fields = { operationID: operation.spec.operationID, plugin: this.#plugin.pluginOf(operation) };
      scope.log.debug("plugin cannot tell an operation's progress for now", {
        ...fields,
        error: messageOf(answer.error),
      });
    }
    const hasChanged = JSON.stringify(judged.status) !== JSON.stringify(operation.status);
    if (judged.failure === undefined) {
      this.#operations[index] = { ...operation, status: judged.status };
      return { hasChanged };
    }
    const canceled = judged.cancel ? await this.#cancel(operation, scope) : "";
    return { hasChanged, failure: this.#set(index, judged.status, `${judged.failure}${canceled}`) };
  }

  #set(index: number, status: OperationStatus, message: string): OperationFailure<O> {
    const before = this.#operations[index] as O;
    const operation = { ...before, status: { ...status, error: message } };
    this.#operations[index] = operation;
    return { operation, message };
  }

  /** Tells the plugin to stop; gives what to add to the message when that failed. */
  async #cancel(operation: O, scope: Scope, deadline?: Parameters<typeof withDeadline>[0]): Promise<string> {
    const cancel = (inner: Scope) => this.#plugin.cancel(operation, inner);
    const fields = { operationID: operation.spec.operationID, plugin: this.#plugin.pluginOf(operation) };
    try {
      await (deadline ? withDeadline(deadline, scope, cancel) : cancel(scope));
      scope.log.info("operation canceled", fields);
      return "";
    } catch (error) {
      scope.signal.throwIfAborted();
      scope.log.warn("cannot cancel operation", { ...fields, error: messageOf(error) });
      return ` (canceling it failed: ${messageOf(error)})`;
    }
  }

  #isRunning(index: number): boolean {
    const operation = this.#operations[index];
    return operation !== undefined && isRunning(operation.status);
  }

  #isDue(index: number, nowMs: number): boolean {
    return this.#isRunning(index) && (this.#state.get(index)?.dueMs ?? 0) <= nowMs;
  }

  #delayMs({ status }: O, now: Date, errorsInARow: number): number {
    const ageMs = status.created === undefined ? 0 : now.getTime() - Date.parse(status.created);
    const patient = Math.max(firstDelayMs, ageMs / 4, firstDelayMs * 2 ** errorsInARow);
    return Math.min(this.#options.frequencyMs, patient);
  }

  #nextInMs(): number | undefined {
    const nowMs = this.#options.clock.now().getTime();
    let next: number | undefined;
    for (let index = 0; index < this.#operations.length; index++) {
      if (!this.#isRunning(index)) continue;
      const inMs = Math.max(0, (this.#state.get(index)?.dueMs ?? 0) - nowMs);
      next = next === undefined ? inMs : Math.min(next, inMs);
    }
    return next;
  }
}
