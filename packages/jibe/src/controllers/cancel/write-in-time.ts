import { type Clock, messageOf, type Scope, withDeadline } from "@jibe/base";

/** Less than the minute in which a cancel takes effect, and more than the time that deleting snapshots may take of it. */
const filesMs = 40_000;

/**
 * Writes the files of a run that was canceled and gives its status. A store that fails or hangs does not keep the run from its end: the
 * status given for that case stands then.
 */
export async function writeInTime<S>(
  { otherwise, write }: { readonly otherwise: S; readonly write: (scope: Scope) => Promise<S> },
  { clock }: { readonly clock: Clock },
  scope: Scope,
): Promise<S> {
  try {
    return await withDeadline({ ms: filesMs, clock, what: "writing the files of a canceled run" }, scope, write);
  } catch (error) {
    scope.signal.throwIfAborted();
    scope.log.warn("the files of a canceled run could not all be written", { error: messageOf(error) });
    return otherwise;
  }
}
