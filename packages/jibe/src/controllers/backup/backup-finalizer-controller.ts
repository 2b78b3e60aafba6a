import { type Scope, withFields } from "@jibe/base";
import { finalizeBackup, isFinalizing } from "@jibe/engine";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup } from "../../api/resources.ts";
import type { ActiveRuns } from "../active-runs.ts";
import { ClaimedRun } from "../claimed-run.ts";
import { type Controller, done, type ReconcileResult } from "../controller.ts";
import type { Resources } from "../resources.ts";
import { openBackupStore, openSnapshotLocation, type RunSurroundings } from "../run-surroundings.ts";

export interface BackupFinalizerDeps {
  readonly backups: Resources<Backup>;
  readonly world: RunSurroundings;
  readonly active: ActiveRuns;
  readonly onPhase?: (backup: Backup, archiveBytes?: number) => void;
}

/** Brings backups whose operations have ended to their end: items that operations changed are taken again. */
export function backupFinalizerController(deps: BackupFinalizerDeps): Controller {
  const { backups, active } = deps;
  return {
    name: "backup-finalizer",
    type: veleroTypes.backup,
    workers: 2,
    reconcile: async (name, scope) => {
      const backup = await backups.find(name, scope);
      if (!backup || !isFinalizing(backup.status?.phase)) return done;
      if (active.isRunning(name)) return { requeueAfterMs: 20 }; // its run has written this phase and is about to end
      return finalize(backup, deps, withFields(scope, { backup: `${backups.namespace}/${name}` }));
    },
  };
}

async function finalize(
  backup: Backup,
  { backups, world, onPhase }: BackupFinalizerDeps,
  scope: Scope,
): Promise<ReconcileResult> {
  const claimed = await ClaimedRun.adopt(backups, backup, { holder: world.holder }, scope);
  if (!claimed) return { requeueAfterMs: 1000 };
  await using store = await openBackupStore(backup, world, scope);
  await using scratch = await world.openScratch(scope);
  const ports = {
    cluster: world.cluster,
    plugins: (inner: Scope) => world.openPlugins(inner.log, inner),
    store,
    scratch,
    clock: world.clock,
    snapshotLocations: await usedSnapshotLocations(backup, world, scope),
  };
  const { status, archiveBytes } = await finalizeBackup({ backup }, ports, scope);
  onPhase?.(await claimed.patchStatus(status as Record<string, unknown>, scope), archiveBytes);
  return done;
}

/** The snapshot locations of a backup that still exist. */
async function usedSnapshotLocations({ spec }: Backup, world: RunSurroundings, scope: Scope) {
  const existing = await world.snapshotLocations.list({}, scope);
  const used = existing.filter(({ metadata }) => spec.volumeSnapshotLocations?.includes(metadata.name));
  return Promise.all(used.map(({ metadata }) => openSnapshotLocation(metadata.name, world, scope)));
}
