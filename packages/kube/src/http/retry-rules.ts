import { type AppError, backoffMs, type Clock } from "@jibe/base";
import { statusOf } from "../status-error.ts";
import type { CallOutcome } from "./adaptive-limit.ts";

const delays = { firstDelayMs: 100, maxDelayMs: 5000 };

/** What is known about a failed attempt. */
export interface Attempt {
  readonly number: number;
  /** How many there may be. */
  readonly most: number;
  /** Whether running the call twice has the same effect as running it once. */
  readonly idempotent: boolean;
  /** Whether the server may have seen the request. */
  readonly sent: boolean;
  readonly error: AppError;
}

/**
 * Whether to send a call again. A 429 was refused before anything was done, and what was not sent did nothing; any
 * other failure may have come after the work, so only calls that may run twice are sent twice.
 */
export function mayRetry({ number, most, idempotent, sent, error }: Attempt): boolean {
  if (error.code !== "Unavailable" || number + 1 >= most) return false;
  return idempotent || !sent || statusOf(error)?.code === 429;
}

/** How long to wait before the next attempt: as long as the server asked for, never less than our own back-off. */
export function retryDelayMs({ number, most, error }: Attempt, clock: Clock): number {
  return Math.max(statusOf(error)?.retryAfterMs ?? 0, backoffMs(number, { ...delays, attempts: most, clock }));
}

/** What an answer tells about the load of the server. */
export function outcomeOf(status: number): CallOutcome {
  if (status === 429) return "throttled";
  return status >= 500 ? "failed" : "ok";
}
