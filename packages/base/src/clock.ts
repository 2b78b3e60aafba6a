/** The only source of time, so that tests can drive it. */
export interface Clock {
  now(): Date;
  /** Milliseconds that never go backwards; only differences mean something. */
  monotonicMs(): number;
  /** Resolves after `ms`; rejects with the signal's reason when stopped first. */
  sleep(ms: number, scope: { readonly signal: AbortSignal }): Promise<void>;
  /** Calls `run` once after `ms`. Disposing cancels it. It never keeps the process alive. */
  after(ms: number, run: () => void): Disposable;
}

const maxTimerMs = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep: (ms, { signal }) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const stop = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(
        () => {
          signal.removeEventListener("abort", stop);
          resolve();
        },
        Math.min(ms, maxTimerMs),
      );
      signal.addEventListener("abort", stop, { once: true });
    }),
  after: (ms, run) => {
    const timer = setTimeout(run, Math.min(ms, maxTimerMs));
    timer.unref();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
