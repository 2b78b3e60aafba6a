import { AppError, hasCode, messageOf, type Scope } from "@jibe/base";
import type { Backup } from "@jibe/plugin-sdk/contracts";
import { type Archive, openArchive } from "../archive/archive.ts";
import { readGzippedJson } from "../layout/go-json.ts";
import { backupKeys } from "../layout/object-keys.ts";
import type { Cluster } from "../ports/cluster.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import type { DeleteAction, RunPlugins } from "../ports/plugins.ts";
import type { Scratch } from "../ports/scratch.ts";
import { type ActionSelector, actionSelector } from "../select/action-selector.ts";

export interface DeletionPorts {
  readonly cluster: Cluster;
  readonly plugins: RunPlugins;
  readonly store: ObjectStore;
  readonly scratch: Scratch;
  /** The location of a native snapshot, with what its snapshotter needs. Fails with `NotFound` when it is gone. */
  readonly snapshotLocation: (
    name: string,
    scope: Scope,
  ) => Promise<{ readonly provider: string; readonly config: Readonly<Record<string, string>> }>;
}

/**
 * Removes everything a backup left outside the cluster's own resources: what its delete actions clean up, its native snapshots and,
 * only if that went well, its files. Gives the errors met; with errors the files stay, so that it can be tried again.
 */
export async function deleteBackupContents(backup: Backup, ports: DeletionPorts, scope: Scope): Promise<string[]> {
  const errors = [...(await runDeleteActions(backup, ports, scope)), ...(await deleteSnapshots(backup, ports, scope))];
  if (errors.length > 0) return errors;
  const { directory, metadata } = backupKeys(backup.metadata.name);
  return deleteFolder(ports.store, directory, { last: metadata }, scope);
}

/** Deletes every object of a folder; the one named `last` only after the others, as it is what makes the folder a backup. */
export async function deleteFolder(
  store: ObjectStore,
  directory: string,
  { last }: { readonly last?: string },
  scope: Scope,
): Promise<string[]> {
  const errors: string[] = [];
  const remove = async (key: string) => {
    try {
      await store.delete(key, scope);
    } catch (error) {
      scope.signal.throwIfAborted();
      errors.push(`cannot delete ${JSON.stringify(key)} from the store: ${messageOf(error)}`);
    }
  };
  try {
    for await (const key of store.list(directory, scope)) if (key !== last) await remove(key);
  } catch (error) {
    scope.signal.throwIfAborted();
    errors.push(`cannot list ${JSON.stringify(directory)} in the store: ${messageOf(error)}`);
  }
  if (last !== undefined && errors.length === 0) await remove(last);
  return errors;
}

async function runDeleteActions(backup: Backup, ports: DeletionPorts, scope: Scope): Promise<string[]> {
  const actions = await ports.plugins.deleteActions(scope);
  if (actions.length === 0) return [];
  let archive: Archive;
  try {
    const content = ports.store.get(backupKeys(backup.metadata.name).contents, scope);
    archive = await openArchive(content, { scratch: ports.scratch }, scope);
  } catch (error) {
    scope.signal.throwIfAborted();
    if (hasCode(error, "NotFound")) return []; // a backup that failed early has no archive
    return [`cannot read the backup's archive for its delete actions: ${messageOf(error)}`];
  }
  await using opened = archive;
  const types = await ports.cluster.discover(scope);
  const selected = await Promise.all(
    actions.map(async (action) => ({
      action,
      selector: actionSelector({ name: action.name, selector: await action.appliesTo(scope) }, types),
    })),
  );
  for (const groupResource of opened.groupResources()) {
    for (const namespace of opened.namespaces(groupResource)) {
      const wanted = selected.filter(({ selector }) => selector.matchesPlace({ groupResource, namespace }));
      if (wanted.length === 0) continue;
      for (const name of opened.names(groupResource, namespace)) {
        await runOnItem({ groupResource, namespace, name }, { backup, archive: opened, wanted }, scope);
      }
    }
  }
  return [];
}

/** Errors of delete actions are only told, as the backup must be deletable when a plugin is broken. */
async function runOnItem(
  item: { readonly groupResource: string; readonly namespace: string; readonly name: string },
  {
    backup,
    archive,
    wanted,
  }: {
    readonly backup: Backup;
    readonly archive: Archive;
    readonly wanted: readonly { readonly action: DeleteAction; readonly selector: ActionSelector }[];
  },
  scope: Scope,
): Promise<void> {
  try {
    const body = await archive.read(item, scope);
    for (const { action, selector } of wanted) {
      if (!selector.matchesLabels(body.object.metadata.labels)) continue;
      try {
        await action.execute(body, backup, scope);
      } catch (error) {
        scope.signal.throwIfAborted();
        scope.log.error("delete action failed", { ...item, plugin: action.name, error: messageOf(error) });
      }
    }
  } catch (error) {
    scope.signal.throwIfAborted();
    scope.log.error("cannot read item for its delete actions", { ...item, error: messageOf(error) });
  }
}

interface StoredSnapshot {
  readonly spec: { readonly location: string; readonly persistentVolumeName: string };
  readonly status: { readonly providerSnapshotID?: string };
}

async function deleteSnapshots(backup: Backup, ports: DeletionPorts, scope: Scope): Promise<string[]> {
  let snapshots: readonly StoredSnapshot[];
  try {
    const found = await readGzippedJson(ports.store, backupKeys(backup.metadata.name).volumeSnapshots, scope);
    snapshots = (found ?? []) as unknown as readonly StoredSnapshot[];
  } catch (error) {
    scope.signal.throwIfAborted();
    return [`cannot read the backup's volume snapshots: ${messageOf(error)}`];
  }
  const errors: string[] = [];
  const byLocation = Map.groupBy(
    snapshots.filter(({ status }) => status.providerSnapshotID),
    ({ spec }) => spec.location,
  );
  for (const [location, own] of byLocation) {
    try {
      const { provider, config } = await ports.snapshotLocation(location, scope);
      const snapshotter = await ports.plugins.snapshotter(provider, scope);
      await snapshotter.init(config, scope);
      for (const { spec, status } of own) {
        await snapshotter.deleteSnapshot(status.providerSnapshotID ?? "", scope).catch((error: unknown) => {
          scope.signal.throwIfAborted();
          const what = `snapshot ${JSON.stringify(status.providerSnapshotID)} of volume ${JSON.stringify(spec.persistentVolumeName)}`;
          errors.push(messageOf(new AppError("Internal", `cannot delete ${what}`, { cause: error })));
        });
      }
    } catch (error) {
      scope.signal.throwIfAborted();
      errors.push(`cannot reach volume snapshot location ${JSON.stringify(location)}: ${messageOf(error)}`);
    }
  }
  return errors;
}
