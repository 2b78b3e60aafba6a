import { messageOf, type Scope, withDeadline } from "@jibe/base";
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
import type { Backup } from "../../api/resources.ts";
import { openSnapshotLocation, type RunSurroundings } from "../run-surroundings.ts";

/** A user waits for the end, and a snapshotter may hang. */
const deleteSnapshotsMs = 20_000;

/** After a backup was canceled: its unfinished snapshots are deleted, and its files say so. */
export async function settleSnapshots(
  {
    backup,
    operations,
    store,
  }: { readonly backup: Backup; readonly operations: readonly BackupOperation[]; readonly store: ObjectStore },
  { plugins, world }: { readonly plugins: RunPlugins; readonly world: RunSurroundings },
  scope: Scope,
): Promise<void> {
  const own = operations.filter(({ spec }) => spec.volumeSnapshotLocation !== undefined);
  if (own.length === 0) return;
  const names = [...new Set(own.map(({ spec }) => spec.volumeSnapshotLocation ?? ""))];
  const snapshotLocations = await Promise.all(names.map((name) => openSnapshotLocation(name, world, scope)));
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
}
