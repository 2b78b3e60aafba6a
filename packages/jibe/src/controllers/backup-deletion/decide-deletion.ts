import type { Backup, BackupStorageLocation, DeleteBackupRequest } from "../../api/resources.ts";
import { timeMs } from "../../api/time.ts";

const keptMs = 24 * 3_600_000;

export type DeletionDecision =
  | { readonly kind: "ignore"; readonly againInMs?: number }
  /** An answered request that nobody needs any more. */
  | { readonly kind: "forget" }
  | { readonly kind: "refuse"; readonly reason: string }
  | { readonly kind: "delete" };

const atWork: ReadonlySet<string | undefined> = new Set([
  "Queued",
  "ReadyToStart",
  "InProgress",
  "Finalizing",
  "FinalizingPartiallyFailed",
]);

/** What is to be done with a request to delete a backup. A backup that waits for operations is deleted after these were canceled. */
export function decideDeletion(
  request: DeleteBackupRequest,
  facts: {
    readonly backup: Backup | undefined;
    readonly location: BackupStorageLocation | undefined;
    readonly now: Date;
    /** Whether this server runs the backup right now. */
    readonly isRunning: boolean;
  },
): DeletionDecision {
  const { backup, location, now, isRunning } = facts;
  if (request.status?.phase === "Processed") {
    const created = timeMs(request.metadata.creationTimestamp) ?? now.getTime();
    const ageMs = now.getTime() - created;
    return ageMs >= keptMs ? { kind: "forget" } : { kind: "ignore", againInMs: keptMs - ageMs };
  }
  if (!request.spec.backupName) return refuse("spec.backupName is required");
  // A server that died right after its last step left this behind; what was asked for is done.
  if (!backup && request.status?.phase === "InProgress") return { kind: "forget" };
  if (!backup) return refuse("backup not found");
  if (isRunning || atWork.has(backup.status?.phase)) {
    return refuse("backup is still in progress; cancel it first, or wait for its end");
  }
  const name = backup.spec.storageLocation ?? "default";
  if (!location) return refuse(`backup storage location ${name} not found`);
  if (location.spec.accessMode === "ReadOnly") {
    return refuse(`cannot delete backup because backup storage location ${name} is currently in read-only mode`);
  }
  if (location.status?.phase !== "Available") {
    return refuse(`cannot delete backup because backup storage location ${name} is currently unavailable`);
  }
  return { kind: "delete" };
}

// Velero's words: people look for them in the request's status.
function refuse(reason: string): DeletionDecision {
  return { kind: "refuse", reason: `backup deletion failed: ${reason}` };
}
