import { type Clock, hasCode, isRetriable, retry, type Scope } from "@jibe/base";

/**
 * Repeats a write that met a server which is overloaded, restarting or busy with a conflicting write. It may have been done although it
 * seemed to fail: then the repetition meets `AlreadyExists`, and the caller must look whose object it is.
 */
export function retryWrite<T>(write: () => Promise<T>, clock: Clock, scope: Scope): Promise<T> {
  const when = (error: unknown) => isRetriable(error) || hasCode(error, "Conflict");
  return retry(write, { attempts: 10, firstDelayMs: 250, maxDelayMs: 15_000, clock, when }, scope);
}
