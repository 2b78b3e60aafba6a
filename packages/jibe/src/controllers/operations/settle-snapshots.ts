import type { Scope } from "@jibe/base";
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
  await deleteFailedSnapshots(own, { plugins, snapshotLocations }, scope);
  const keys = backupKeys(backup.metadata.name);
  const stored = ((await readGzippedJson(store, keys.volumeSnapshots, scope)) ??
    []) as unknown as readonly StoredSnapshot[];
  const snapshots = finalSnapshots(stored, own);
  await putJson(store, keys.volumeSnapshots, snapshots, scope);
  const infos = ((await readGzippedJson(store, keys.volumeInfo, scope)) ??
    []) as unknown as readonly StoredVolumeInfo[];
  await putJson(store, keys.volumeInfo, finalVolumeInfos(infos, snapshots), scope);
}
