import { AppError, type Clock, systemClock } from "@jibe/base";

export interface EventuallyOptions {
  /** How long to wait, by default 10 s. */
  readonly timeoutMs?: number;
  readonly intervalMs?: number;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/**
 * Waits until `check` returns something other than `false`, `null` and `undefined`, and returns that. A check that
 * throws is tried again; when the time is up, its last error is the cause of ours.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  {
    timeoutMs = 10_000,
    intervalMs = 25,
    clock = systemClock,
    signal = new AbortController().signal,
  }: EventuallyOptions = {},
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = clock.monotonicMs() + timeoutMs;
  let last: unknown;
  while (true) {
    try {
      const value = await check();
      last = undefined;
      if (isThere(value)) return value;
    } catch (error) {
      last = error;
    }
    if (clock.monotonicMs() >= deadline) {
      const why = last instanceof Error ? `: ${last.message}` : "";
      throw new AppError("DeadlineExceeded", `the condition was not met within ${timeoutMs} ms${why}`, { cause: last });
    }
    await clock.sleep(intervalMs, { signal });
  }
}

function isThere<T>(value: T): value is Exclude<T, false | null | undefined> {
  return value !== false && value !== null && value !== undefined;
}
