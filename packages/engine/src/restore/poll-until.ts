import type { Clock, Scope } from "@jibe/base";

export interface PollLimits {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly firstDelayMs: number;
  /** Delays grow by half up to this. */
  readonly maxDelayMs: number;
}

/**
 * Asks at once, then after growing delays, and once more when the time is up. False when even then the answer was no. What `check`
 * throws ends the polling.
 */
export async function pollUntil(
  check: (remainingMs: number) => Promise<boolean>,
  { clock, timeoutMs, firstDelayMs, maxDelayMs }: PollLimits,
  scope: Pick<Scope, "signal">,
): Promise<boolean> {
  const deadlineMs = clock.monotonicMs() + timeoutMs;
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(maxDelayMs, delayMs * 1.5)) {
    scope.signal.throwIfAborted();
    const remainingMs = deadlineMs - clock.monotonicMs();
    if (await check(Math.max(0, remainingMs))) return true;
    const leftMs = deadlineMs - clock.monotonicMs();
    if (leftMs <= 0) return false;
    await clock.sleep(Math.min(delayMs, leftMs), scope);
  }
}
