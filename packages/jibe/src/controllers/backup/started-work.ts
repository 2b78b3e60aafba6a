import { AppError, hasCode, messageOf, type Scope } from "@jibe/base";
import {
  type BackupOperation,
  backupKeys,
  deleteFolder,
  gzippedJson,
  isRunning,
  type ObjectStore,
  type RunPlugins,
  readGzippedJson,
  type StartedWork,
  type StoredSnapshot,
} from "@jibe/engine";
import type { Backup } from "../../api/resources.ts";
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

/** Cancels and deletes what an attempt left behind when its server ended, then its files. What fails is logged: the next attempt counts. */
export async function undoAttempt(
  backup: Backup,
  { operations, snapshots, locations }: LeftWork,
  { store, plugins }: { readonly store: ObjectStore; readonly plugins: RunPlugins },
  scope: Scope,
): Promise<void> {
  const snapshotLocation = async (name: string) => {
    const found = locations.get(name);
    if (!found) throw new AppError("NotFound", `there is no volume snapshot location ${JSON.stringify(name)}`);
    return found;
  };
  const plugin = backupOperationPlugin(backup, { plugins, snapshotLocation });
  for (const operation of operations.filter(({ status }) => isRunning(status))) {
    await attempt(`cancel operation ${operation.spec.operationID}`, () => plugin.cancel(operation, scope), scope);
  }
  for (const [id, location] of startedSnapshots({ operations, snapshots })) {
    await attempt(
      `delete snapshot ${id}`,
      async () => {
        const { provider, config } = await snapshotLocation(location);
        const snapshotter = await plugins.snapshotter(provider, scope);
        await snapshotter.init(config, scope);
        await snapshotter.deleteSnapshot(id, scope);
      },
      scope,
    );
  }
  const keys = backupKeys(backup.metadata.name);
  const errors = await deleteFolder(store, keys.directory, { last: keys.metadata }, scope);
  if (errors.length > 0) throw new Error(`cannot remove the files of an earlier attempt: ${errors.join("; ")}`);
}

async function attempt(what: string, work: () => Promise<void>, scope: Scope): Promise<void> {
  try {
    await work();
    scope.log.info("undone after the server ended", { what });
  } catch (error) {
    scope.signal.throwIfAborted();
    scope.log.warn("cannot undo what an earlier attempt had started", { what, error: messageOf(error) });
  }
}

async function putJson(store: ObjectStore, key: string, value: unknown, scope: Scope): Promise<void> {
  const content = await gzippedJson(value);
  await store.put(
    key,
    async function* () {
      yield content;
    },
    scope,
  );
}
