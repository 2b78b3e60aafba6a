import { hasCode, messageOf, type Scope, withDeadline } from "@jibe/base";
import {
  type BackupOperation,
  backupKeys,
  deleteFailedSnapshots,
  finalSnapshots,
  finalVolumeInfos,
  type ObjectStore,
  putJson,
  type RunPlugins,
  readGzippedJson,
  type StoredSnapshot,
  type StoredVolumeInfo,
} from "@jibe/engine";
import type { Backup, BackupStatus } from "../../api/resources.ts";
import { openSnapshotLocation, type RunSurroundings } from "../run-surroundings.ts";

/** A user waits for the end, and a snapshotter may hang. */
const deleteSnapshotsMs = 20_000;

/** After a backup was canceled: its unfinished snapshots are deleted, and its files say so. Gives what its status is to say. */
export async function settleSnapshots(
  {
    backup,
    operations,
    store,
  }: { readonly backup: Backup; readonly operations: readonly BackupOperation[]; readonly store: ObjectStore },
  { plugins, world }: { readonly plugins: RunPlugins; readonly world: RunSurroundings },
  scope: Scope,
): Promise<BackupStatus> {
  const own = operations.filter(({ spec }) => spec.volumeSnapshotLocation !== undefined);
  if (own.length === 0) return {};
  const snapshotLocations = await existingLocations(own, world, scope);
  const deadline = { ms: deleteSnapshotsMs, clock: world.clock, what: "deleting snapshots" };
  await withDeadline(deadline, scope, (inner) =>
    deleteFailedSnapshots(own, { plugins, snapshotLocations }, inner),
  ).catch((error: unknown) => {
    scope.signal.throwIfAborted();
    scope.log.warn("snapshots of a canceled backup could not all be deleted", { error: messageOf(error) });
  });
  const keys = backupKeys(backup.metadata.name);
  const stored = ((await readGzippedJson(store, keys.volumeSnapshots, scope)) ??
    []) as unknown as readonly StoredSnapshot[];
  const snapshots = finalSnapshots(stored, own);
  await putJson(store, keys.volumeSnapshots, snapshots, scope);
  const infos = ((await readGzippedJson(store, keys.volumeInfo, scope)) ??
    []) as unknown as readonly StoredVolumeInfo[];
  await putJson(store, keys.volumeInfo, finalVolumeInfos(infos, snapshots), scope);
  const completed = snapshots.filter(({ status }) => status.phase === "Completed").length;
  return completed > 0 ? { volumeSnapshotsCompleted: completed } : {};
}

/** A location that was removed does not keep a backup from its end. */
async function existingLocations(operations: readonly BackupOperation[], world: RunSurroundings, scope: Scope) {
  const names = new Set(operations.map(({ spec }) => spec.volumeSnapshotLocation ?? ""));
  const open = (name: string) =>
    openSnapshotLocation(name, world, scope).catch((error: unknown) => {
      if (!hasCode(error, "NotFound")) throw error;
      scope.log.warn("the snapshot location of a canceled backup is gone", { location: name });
    });
  return (await Promise.all([...names].map(open))).filter((location) => location !== undefined);
}
