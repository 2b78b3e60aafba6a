import { AppError, type Clock, forEachConcurrent, hasCode, messageOf, type Scope, withDeadline } from "@jibe/base";
import {
  type BackupOperation,
  backupKeys,
  deleteFolder,
  type ObjectStore,
  putJson,
  type RunPlugins,
  readGzippedJson,
  type StartedWork,
  type StoredSnapshot,
} from "@jibe/engine";
import type { Backup } from "../../api/resources.ts";
import {
  cancelLeftOperations,
  type UndoTimes,
  undosAtOnce,
  undoTimes,
  undoUnlessCanceled,
} from "../cancel-left-operations.ts";
import { backupOperationPlugin } from "../operations/backup-operation-plugin.ts";
import { openSnapshotLocation, type RunSurroundings } from "../run-surroundings.ts";
import type { OpenSnapshotLocation } from "../storage-locations.ts";

/** Keeps what a run has started in the store, so that whoever finds it after a crash can stop and remove it. */
export async function saveStartedWork(
  name: string,
  { operations, snapshots }: StartedWork,
  store: ObjectStore,
  scope: Scope,
): Promise<void> {
  const keys = backupKeys(name);
  await putJson(store, keys.itemOperations, operations, scope);
  await putJson(store, keys.volumeSnapshots, snapshots, scope);
}

/** What an attempt had started when its server ended, and the locations needed to undo it. */
export interface LeftWork extends StartedWork {
  readonly locations: ReadonlyMap<string, OpenSnapshotLocation>;
}

/** Reads what an attempt left behind. A cluster or store that is away for now fails it: nothing is undone then, and nothing forgotten. */
export async function readLeftWork(
  backup: Backup,
  { store, world }: { readonly store: ObjectStore; readonly world: RunSurroundings },
  scope: Scope,
): Promise<LeftWork> {
  const keys = backupKeys(backup.metadata.name);
  const operations = ((await readGzippedJson(store, keys.itemOperations, scope)) ??
    []) as unknown as readonly BackupOperation[];
  const snapshots = ((await readGzippedJson(store, keys.volumeSnapshots, scope)) ??
    []) as unknown as readonly StoredSnapshot[];
  const locations = new Map<string, OpenSnapshotLocation>();
  for (const name of new Set(startedSnapshots({ operations, snapshots }).values())) {
    try {
      locations.set(name, await openSnapshotLocation(name, world, scope));
    } catch (error) {
      if (!hasCode(error, "NotFound")) throw error;
    }
  }
  return { operations, snapshots, locations };
}

/** The location of each snapshot that was started, by ID. The server may have ended between writing one file and the other. */
function startedSnapshots({ operations, snapshots }: StartedWork): ReadonlyMap<string, string> {
  const running = operations.map(({ spec }) => [spec.operationID, spec.volumeSnapshotLocation ?? ""] as const);
  const listed = snapshots.map(({ spec, status }) => [status.providerSnapshotID ?? "", spec.location] as const);
  return new Map([...running, ...listed].filter(([id, location]) => id !== "" && location !== ""));
}

export interface UndoSurroundings {
  readonly store: ObjectStore;
  readonly plugins: RunPlugins;
  readonly clock: Clock;
  /** Ends when the user cancels the backup. */
  readonly canceled: AbortSignal;
}

/** Cancels and deletes what an attempt left behind when its server ended, then its files. What fails is logged: the next attempt counts. */
export async function undoAttempt(
  backup: Backup,
  { operations, snapshots, locations }: LeftWork,
  { store, plugins, clock, canceled }: UndoSurroundings,
  scope: Scope,
): Promise<void> {
  const times = undoTimes(backup, clock);
  const snapshotLocation = async (name: string) => {
    const found = locations.get(name);
    if (!found) throw new AppError("NotFound", `there is no volume snapshot location ${JSON.stringify(name)}`);
    return found;
  };
  const plugin = backupOperationPlugin(backup, { plugins, snapshotLocation });
  const remove = async ([id, location]: readonly [string, string], inner: Scope) => {
    const { provider, config } = await snapshotLocation(location);
    const snapshotter = await plugins.snapshotter(provider, inner);
    await snapshotter.init(config, inner);
    await snapshotter.deleteSnapshot(id, inner);
  };
  const undo = async (inner: Scope) => {
    await cancelLeftOperations(operations, plugin, times, inner);
    await deleteLeftSnapshots(startedSnapshots({ operations, snapshots }), remove, times, inner);
  };
  await undoUnlessCanceled(undo, { canceled, clock }, scope);
  const keys = backupKeys(backup.metadata.name);
  const errors = await deleteFolder(store, keys.directory, { last: keys.metadata }, scope);
  if (errors.length > 0) throw new Error(`cannot remove the files of an earlier attempt: ${errors.join("; ")}`);
}

async function deleteLeftSnapshots(
  snapshots: ReadonlyMap<string, string>,
  remove: (snapshot: readonly [string, string], scope: Scope) => Promise<void>,
  { clock, withinMs }: UndoTimes,
  scope: Scope,
): Promise<void> {
  const untilMs = clock.monotonicMs() + withinMs;
  const each = async (snapshot: readonly [string, string], inner: Scope) => {
    const [id, location] = snapshot;
    const deadline = { ms: Math.max(1, untilMs - clock.monotonicMs()), clock, what: `deleting snapshot ${id}` };
    try {
      await withDeadline(deadline, inner, (timed) => remove(snapshot, timed));
      inner.log.info("snapshot of an earlier attempt deleted", { snapshot: id, location });
    } catch (error) {
      inner.signal.throwIfAborted();
      const fields = { snapshot: id, location, error: messageOf(error) };
      inner.log.warn("cannot delete a snapshot of an earlier attempt", fields);
    }
  };
  await forEachConcurrent(snapshots, { limit: undosAtOnce, each }, scope);
}
