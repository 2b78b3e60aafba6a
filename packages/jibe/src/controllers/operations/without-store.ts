import { type Clock, hasCode, type Scope } from "@jibe/base";
import { kubernetesTime } from "@jibe/engine";
import { canceledByUser } from "../../api/names.ts";
import type { Backup, Restore } from "../../api/resources.ts";
import { isCancelRequested } from "../active-runs.ts";
import { failedStatus } from "../failed-status.ts";

/** Whether the store itself is gone, not only a file of it. */
export async function isStoreGone<T>(
  object: T,
  openStore: (object: T, scope: Scope) => Promise<AsyncDisposable>,
  scope: Scope,
): Promise<boolean> {
  try {
    await using _store = await openStore(object, scope);
    return false;
  } catch (error) {
    if (hasCode(error, "NotFound")) return true;
    throw error;
  }
}

/**
 * What becomes of a waiting run whose files nobody can reach any more, because its location or its backup was removed. As in Velero a
 * backup ends then, and a restore goes on to finalizing; neither is whole.
 */
export function statusWithoutStore(kind: "backup" | "restore", object: Backup | Restore, clock: Clock): object {
  if (isCancelRequested(object)) return failedStatus(canceledByUser, { clock });
  if (kind === "restore") return { phase: "FinalizingPartiallyFailed" };
  return { phase: "PartiallyFailed", completionTimestamp: kubernetesTime(clock.now()) };
}
