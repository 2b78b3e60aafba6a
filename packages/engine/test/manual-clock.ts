import type { Clock } from "@jibe/base";

export interface ManualClock extends Clock {
  /** Moves time on; timers fire in their order, each at its own time. */
  advance(ms: number): Promise<void>;
  /** Timers not yet fired. */
  readonly timers: number;
}

/** A clock that stands still until a test moves it. */
export function manualClock(start = "2026-01-02T03:04:05Z"): ManualClock {
  const startMs = Date.parse(start);
  let elapsedMs = 0;
  const timers = new Set<{ at: number; run: () => void }>();
  const after = (ms: number, run: () => void): Disposable => {
    const timer = { at: elapsedMs + ms, run };
    timers.add(timer);
    return { [Symbol.dispose]: () => timers.delete(timer) };
  };
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    now: () => new Date(startMs + elapsedMs),
    monotonicMs: () => elapsedMs,
    after,
    sleep: (ms, { signal }) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const timer = after(ms, resolve);
        const stop = () => {
          timer[Symbol.dispose]();
          reject(signal.reason);
        };
        signal.addEventListener("abort", stop, { once: true });
      }),
    get timers() {
      return timers.size;
    },
    async advance(ms) {
      const until = elapsedMs + ms;
      await turn();
      while (true) {
        const next = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        timers.delete(next);
        elapsedMs = Math.max(elapsedMs, next.at);
        next.run();
        await turn();
      }
      elapsedMs = until;
      await turn();
    },
  };
}
