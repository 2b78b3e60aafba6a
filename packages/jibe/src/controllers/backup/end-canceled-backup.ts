import type { Scope } from "@jibe/base";
import { type BackupOperation, backupKeys, isEnded, type ObjectStore, readGzippedJson } from "@jibe/engine";
import { canceledByUser } from "../../api/names.ts";
import type { Backup, BackupStatus } from "../../api/resources.ts";
import { logCancel } from "../cancel/log-cancel.ts";
import { writeInTime } from "../cancel/write-in-time.ts";
import { attemptOf } from "../claimed-run.ts";
import { failedStatus } from "../failed-status.ts";
import { readJson } from "../read-json.ts";
import { openBackupStore, type RunSurroundings } from "../run-surroundings.ts";
import { storeBackup } from "./store-backup.ts";

/** Sets right what depends on the operations of a canceled backup; gives what its status is to say of it. */
export type SettleCanceled = (
  backup: Backup,
  operations: readonly BackupOperation[],
  store: ObjectStore,
  scope: Scope,
) => Promise<BackupStatus>;

/**
 * Ends a backup that is canceled while it is being finalized, and gives its status. Its archive is whole, old or new. Where its end is in
 * the store already, that end holds: another cluster may have read it.
 */
export function endCanceledBackup(
  backup: Backup,
  { world, settle }: { readonly world: RunSurroundings; readonly settle: SettleCanceled },
  scope: Scope,
): Promise<BackupStatus> {
  const canceled: BackupStatus = { ...backup.status, ...failedStatus(canceledByUser, world) };
  const write = async (inner: Scope): Promise<BackupStatus> => {
    const { metadata, itemOperations, log } = backupKeys(backup.metadata.name);
    await using store = await openBackupStore(backup, world, inner);
    const stored = await readJson<Backup>(store, metadata, inner);
    if (stored?.status && isCopyOf(backup, stored) && isEnded(stored.status.phase)) return stored.status;
    const operations = ((await readGzippedJson(store, itemOperations, inner)) ??
      []) as unknown as readonly BackupOperation[];
    const status = { ...canceled, ...(await settle(backup, operations, store, inner)) };
    await logCancel(backup, { kind: "backup", log, store, clock: world.clock }, inner);
    await storeBackup({ ...backup, status }, store, inner);
    return status;
  };
  return writeInTime({ otherwise: canceled, write }, world, scope);
}

/** Whether a stored backup is of this very resource and attempt: one that was given up may have written its own. */
export function isCopyOf(backup: Backup, stored: Backup): boolean {
  return stored.metadata.uid === backup.metadata.uid && attemptOf(stored) === attemptOf(backup);
}
