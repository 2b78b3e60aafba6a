import { type Clock, messageOf, type Scope, withDeadline } from "@jibe/base";

/** Less than the minute in which a cancel takes effect, and more than the time that deleting snapshots may take of it. */
const filesMs = 40_000;

const againMs = 1000;

/**
 * Writes the files of a run that was canceled and gives its status. What fails is tried again, but a store that is away or hangs does not
 * keep the run from its end: after a while the status given for that case stands.
 */
export async function writeInTime<S>(
  { otherwise, write }: { readonly otherwise: S; readonly write: (scope: Scope) => Promise<S> },
  { clock }: { readonly clock: Clock },
  scope: Scope,
): Promise<S> {
  const limit = { ms: filesMs, clock, what: "writing the files of a canceled run" };
  try {
    return await withDeadline(limit, scope, (inner) => untilWritten(write, clock, inner));
  } catch (error) {
    scope.signal.throwIfAborted();
    scope.log.warn("the files of a canceled run could not all be written", { error: messageOf(error) });
    return otherwise;
  }
}

async function untilWritten<S>(write: (scope: Scope) => Promise<S>, clock: Clock, scope: Scope): Promise<S> {
  while (true) {
    try {
      return await write(scope);
    } catch (error) {
      scope.signal.throwIfAborted();
      scope.log.debug("the files of a canceled run cannot be written for now", { error: messageOf(error) });
      await clock.sleep(againMs, scope);
    }
  }
}
