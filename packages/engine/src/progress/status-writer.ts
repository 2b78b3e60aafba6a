import { type Clock, messageOf, type Scope } from "@jibe/base";

export interface StatusWriterOptions<Status> {
  /** Writes the status; the only caller of it during the run. */
  readonly patch: (status: Status, scope: Scope) => Promise<void>;
  readonly clock: Clock;
  /** The least time between two patches. */
  readonly intervalMs?: number;
  /** Told about a patch that failed; the next one carries the newer numbers. */
  readonly onError?: (error: unknown) => void;
}

/**
 * The single writer of a run's progress. `update` costs nothing and never waits; patches go out one at a time, at most one per
 * interval, and only when something is new. `finish` writes exactly what it is given, after everything else.
 */
export interface StatusWriter<Status> {
  update(status: Status): void;
  /** Fails when the last patch fails. */
  finish(status: Status, scope: Scope): Promise<void>;
  /** As `finish`, with what was last given, unless that is written already. */
  flush(scope: Scope): Promise<void>;
  /** Writes nothing more; waits for a patch under way. */
  stop(): Promise<void>;
}

export function createStatusWriter<Status>(options: StatusWriterOptions<Status>, scope: Scope): StatusWriter<Status> {
  const { patch, clock, intervalMs = 1000, onError } = options;
  const report = onError ?? ((error) => scope.log.warn("cannot write progress", { error: messageOf(error) }));
  let waiting: Status | undefined;
  let unwritten: Status | undefined;
  let timer: Disposable | undefined;
  let writing: Promise<void> = Promise.resolve();
  let busy = false;
  let stopped = false;
  let notBeforeMs = Number.NEGATIVE_INFINITY;

  const write = () => {
    timer = undefined;
    const status = waiting;
    if (status === undefined || stopped) return;
    waiting = undefined;
    busy = true;
    notBeforeMs = clock.monotonicMs() + intervalMs;
    writing = patch(status, scope)
      .then(
        () => {
          unwritten = undefined;
        },
        (error: unknown) => {
          unwritten = status;
          if (!scope.signal.aborted) report(error);
        },
      )
      .then(() => {
        busy = false;
        schedule();
      });
  };
  const schedule = () => {
    if (waiting === undefined || busy || timer || stopped) return;
    timer = clock.after(Math.max(0, notBeforeMs - clock.monotonicMs()), write);
  };
  const stop = async () => {
    stopped = true;
    timer?.[Symbol.dispose]();
    timer = undefined;
    await writing;
  };
  return {
    update(status) {
      waiting = status;
      schedule();
    },
    async finish(status, finishScope) {
      await stop();
      await patch(status, finishScope);
    },
    async flush(flushScope) {
      await stop();
      const left = waiting ?? unwritten;
      if (left === undefined) return;
      await patch(left, flushScope);
      waiting = unwritten = undefined;
    },
    stop,
  };
}
