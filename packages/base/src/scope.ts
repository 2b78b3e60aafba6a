import { AppError, type Fields } from "./app-error.ts";
import type { Clock } from "./clock.ts";
import type { Logger } from "./logger.ts";

/** What everything that waits is handed last: how it is stopped and where it logs. Never kept in a field. */
export interface Scope {
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** A scope whose log lines carry more fields. */
export function withFields(scope: Scope, fields: Fields): Scope {
  return { signal: scope.signal, log: scope.log.with(fields) };
}

/**
 * Runs `work` in a scope that ends after `ms`. When the time is up first, it rejects with `DeadlineExceeded` at once,
 * whether or not `work` listens to its signal; when the outer scope is stopped, with that signal's reason.
 */
export async function withDeadline<T>(
  { ms, clock, what }: { readonly ms: number; readonly clock: Clock; readonly what: string },
  scope: Scope,
  work: (scope: Scope) => Promise<T>,
): Promise<T> {
  scope.signal.throwIfAborted();
  const deadline = new AbortController();
  const signal = AbortSignal.any([scope.signal, deadline.signal]);
  using _timer = clock.after(ms, () =>
    deadline.abort(new AppError("DeadlineExceeded", `${what} took longer than ${ms} ms`)),
  );
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work({ ...scope, signal }), stopped]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
