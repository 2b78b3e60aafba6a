import { AppError, type Clock, hasCode, isRetriable, retry, type Scope } from "@jibe/base";

const attempts = 10;
const attemptsOnInternalError = 4;

/**
 * Repeats a write that met a server which is overloaded, restarting or busy with a conflicting write. It may have been done although it
 * seemed to fail: then the repetition meets `AlreadyExists`, and the caller must look whose object it is. An internal error of the server
 * is more often a webhook that fails or hangs than something that passes: it is not met as often.
 */
export function retryWrite<T>(write: () => Promise<T>, clock: Clock, scope: Scope): Promise<T> {
  let internalErrors = 0;
  const when = (error: unknown) => {
    if (isInternal(error) && ++internalErrors >= attemptsOnInternalError) return false;
    return isRetriable(error) || hasCode(error, "Conflict");
  };
  return retry(write, { attempts, firstDelayMs: 250, maxDelayMs: 15_000, clock, when }, scope);
}

function isInternal(error: unknown): boolean {
  return error instanceof AppError && error.fields["reason"] === "InternalError";
}
