import { isRetriable } from "./app-error.ts";
import type { Clock } from "./clock.ts";
import type { Scope } from "./scope.ts";

export interface RetryPolicy {
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  readonly clock: Clock;
  /** A number in [0, 1); spreads the delays. */
  readonly random?: () => number;
  /** Which errors are worth another attempt; `isRetriable` unless given. */
  readonly when?: (error: unknown) => boolean;
}

/** The delay before attempt `attempt + 1`: doubles each time, with up to half of it at random. */
export function backoffMs(attempt: number, { firstDelayMs, maxDelayMs, random = Math.random }: RetryPolicy): number {
  const full = Math.min(maxDelayMs, firstDelayMs * 2 ** attempt);
  return full / 2 + (full / 2) * random();
}

/** Runs `work` until it succeeds, fails for good, or the attempts are used up; then its last error is thrown. */
export async function retry<T>(work: (attempt: number) => Promise<T>, policy: RetryPolicy, scope: Scope): Promise<T> {
  const { when = isRetriable } = policy;
  for (let attempt = 0; ; attempt++) {
    scope.signal.throwIfAborted();
    try {
      return await work(attempt);
    } catch (error) {
      scope.signal.throwIfAborted();
      if (attempt + 1 >= policy.attempts || !when(error)) throw error;
      await policy.clock.sleep(backoffMs(attempt, policy), scope);
    }
  }
}
