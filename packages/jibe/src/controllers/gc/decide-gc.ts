import type { Backup, BackupStorageLocation, DeleteBackupRequest } from "../../api/resources.ts";
import { timeMs } from "../../api/time.ts";

export type GcDecision =
  | { readonly kind: "keep"; readonly untilMs?: number }
  /** It expired but cannot be deleted; the label tells why. */
  | { readonly kind: "blocked"; readonly reason: "BSLNotFound" | "BSLCannotGet" | "BSLReadOnly" }
  | { readonly kind: "retry" }
  | { readonly kind: "pending" }
  | { readonly kind: "delete" };

const pendingPhases: ReadonlySet<string | undefined> = new Set([undefined, "", "New", "InProgress"]);

/** Whether a backup's time is up and whether it can go. */
export function decideGc(
  backup: Backup,
  location: BackupStorageLocation | undefined,
  requests: readonly DeleteBackupRequest[],
  now: Date,
): GcDecision {
  const expires = timeMs(backup.status?.expiration);
  if (expires === undefined) return { kind: "keep" };
  if (expires > now.getTime()) return { kind: "keep", untilMs: expires };
  if (!location) return { kind: "blocked", reason: "BSLNotFound" };
  if (location.spec.accessMode === "ReadOnly") return { kind: "blocked", reason: "BSLReadOnly" };
  if (location.status?.phase !== "Available") return { kind: "retry" };
  return requests.some(({ status }) => pendingPhases.has(status?.phase)) ? { kind: "pending" } : { kind: "delete" };
}
