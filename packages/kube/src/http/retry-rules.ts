import { type AppError, backoffMs, type Clock } from "@jibe/base";
import { statusOf } from "../status-error.ts";
import type { CallOutcome } from "./adaptive-limit.ts";

// Together about half a minute: what a restart of an API server takes.
const policy = { attempts: 10, firstDelayMs: 100, maxDelayMs: 5000 };

/** What is known about a failed attempt. */
export interface Attempt {
  readonly number: number;
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
export function mayRetry({ number, idempotent, sent, error }: Attempt): boolean {
  if (error.code !== "Unavailable" || number + 1 >= policy.attempts) return false;
  return idempotent || !sent || statusOf(error)?.code === 429;
}

/** How long to wait before the next attempt: as long as the server asked for, never less than our own back-off. */
export function retryDelayMs({ number, error }: Attempt, clock: Clock): number {
  return Math.max(statusOf(error)?.retryAfterMs ?? 0, backoffMs(number, { ...policy, clock }));
}

/** What an answer tells about the load of the server. */
export function outcomeOf(status: number): CallOutcome {
  if (status === 429) return "throttled";
  return status >= 500 ? "failed" : "ok";
}
