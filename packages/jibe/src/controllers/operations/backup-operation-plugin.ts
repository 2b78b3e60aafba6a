import { AppError, type Scope } from "@jibe/base";
import type { BackupOperation, OperationPlugin, RunPlugins, Snapshotter } from "@jibe/engine";
import type { Backup } from "../../api/resources.ts";
import type { OpenSnapshotLocation } from "../storage-locations.ts";

export interface OperationPluginDeps {
  readonly plugins: RunPlugins;
  /** A snapshot location by name, ready for `init`. */
  readonly snapshotLocation: (name: string, scope: Scope) => Promise<OpenSnapshotLocation>;
}

/** Finds the plugin behind an operation of a backup: the item action that started it, or the snapshotter of its location. */
export function backupOperationPlugin(
  backup: Backup,
  { plugins, snapshotLocation }: OperationPluginDeps,
): OperationPlugin<BackupOperation> {
  const snapshotters = new Map<string, Promise<Snapshotter>>();
  const open = async (location: string, scope: Scope) => {
    const { provider, config } = await snapshotLocation(location, scope);
    const snapshotter = await plugins.snapshotter(provider, scope);
    await snapshotter.init(config, scope);
    return snapshotter;
  };
  const snapshotterOf = (location: string, scope: Scope): Promise<Snapshotter> => {
    const known = snapshotters.get(location);
    if (known) return known;
    const made = open(location, scope);
    snapshotters.set(location, made);
    made.catch(() => snapshotters.delete(location)); // asked anew next time
    return made;
  };
  return {
    pluginOf: ({ spec }) => spec.backupItemAction,
    progress: async ({ spec }, scope) => {
      if (spec.volumeSnapshotLocation !== undefined) {
        return (await snapshotterOf(spec.volumeSnapshotLocation, scope)).progress(spec.operationID, scope);
      }
      return (await actionNamed(spec.backupItemAction, plugins, scope)).progress(spec.operationID, backup, scope);
    },
    cancel: async ({ spec }, scope) => {
      if (spec.volumeSnapshotLocation !== undefined) {
        const snapshotter = await snapshotterOf(spec.volumeSnapshotLocation, scope);
        await snapshotter.cancel(spec.operationID, scope);
        return;
      }
      await (await actionNamed(spec.backupItemAction, plugins, scope)).cancel(spec.operationID, backup, scope);
    },
  };
}

async function actionNamed(name: string, plugins: RunPlugins, scope: Scope) {
  const found = (await plugins.backupActions(scope)).find((action) => action.name === name);
  // An operation whose plugin was taken away cannot be asked about any more.
  if (!found) throw new AppError("Unsupported", `plugin ${JSON.stringify(name)} is not installed any more`);
  return found;
}
