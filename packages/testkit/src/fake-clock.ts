import type { Clock } from "@jibe/base";

export interface FakeClockOptions {
  /** What `now()` says at the start. */
  readonly start?: Date;
  /** Moves on by itself to the next sleep whenever one begins, so that code which waits runs at full speed. */
  readonly autoAdvance?: boolean;
}

/** A clock that stands still until it is told to move. Timers fire in the order of their times, then of their making. */
export interface FakeClock extends Clock {
  /** Moves time on, firing what comes due on the way; code that was waiting runs before the next timer fires. */
  advance(ms: number): Promise<void>;
  /** Moves to the next sleep or timer and fires it; false when there is none. */
  advanceToNext(): Promise<boolean>;
  /** How long each pending sleep still has, in order. */
  pendingSleeps(): readonly number[];
  /** How long each pending `after` still has, in order. */
  pendingTimers(): readonly number[];
  /** Resolves once at least `count` sleeps are pending. */
  untilSleeping(count?: number): Promise<void>;
}

interface Timer {
  readonly dueMs: number;
  readonly isSleep: boolean;
  readonly fire: () => void;
}

export function fakeClock({
  start = new Date("2026-01-01T00:00:00Z"),
  autoAdvance = false,
}: FakeClockOptions = {}): FakeClock {
  let elapsedMs = 0;
  let timers: readonly Timer[] = [];
  let watchers: readonly { readonly count: number; readonly resolve: () => void }[] = [];
  const remaining = (isSleep: boolean) =>
    timers.filter((timer) => timer.isSleep === isSleep).map(({ dueMs }) => dueMs - elapsedMs);

  const add = (timer: Timer): Disposable => {
    const at = timers.findIndex(({ dueMs }) => dueMs > timer.dueMs);
    timers = at < 0 ? [...timers, timer] : timers.toSpliced(at, 0, timer);
    const sleeping = remaining(true).length;
    for (const { resolve } of watchers.filter(({ count }) => count <= sleeping)) resolve();
    watchers = watchers.filter(({ count }) => count > sleeping);
    return {
      [Symbol.dispose]: () => {
        timers = timers.filter((each) => each !== timer);
      },
    };
  };
  const fireNext = async (untilMs: number): Promise<boolean> => {
    const next = timers[0];
    if (!next || next.dueMs > untilMs) return false;
    timers = timers.slice(1);
    elapsedMs = Math.max(elapsedMs, next.dueMs);
    next.fire();
    await untilIdle();
    return true;
  };
  const clock: FakeClock = {
    now: () => new Date(start.getTime() + elapsedMs),
    monotonicMs: () => elapsedMs,
    sleep: (ms, { signal }) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const stop = () => {
          timer[Symbol.dispose]();
          reject(signal.reason);
        };
        const wake = () => {
          signal.removeEventListener("abort", stop);
          resolve();
        };
        const timer = add({ dueMs: elapsedMs + Math.max(0, ms), isSleep: true, fire: wake });
        signal.addEventListener("abort", stop, { once: true });
        if (autoAdvance) setImmediate(() => void clock.advanceToNext());
      }),
    after: (ms, run) => add({ dueMs: elapsedMs + Math.max(0, ms), isSleep: false, fire: run }),
    async advance(ms) {
      const until = elapsedMs + ms;
      await untilIdle();
      while (await fireNext(until));
      elapsedMs = Math.max(elapsedMs, until);
    },
    advanceToNext: () => fireNext(Number.POSITIVE_INFINITY),
    pendingSleeps: () => remaining(true),
    pendingTimers: () => remaining(false),
    untilSleeping: (count = 1) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (remaining(true).length >= count) resolve();
      else watchers = [...watchers, { count, resolve }];
      return promise;
    },
  };
  return clock;
}

/** Lets everything run that waits for no more than settled promises. */
async function untilIdle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
