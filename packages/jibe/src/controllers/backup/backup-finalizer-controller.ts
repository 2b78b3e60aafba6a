import { type Scope, withFields } from "@jibe/base";
import { finalizeBackup, isFinalizing } from "@jibe/engine";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup } from "../../api/resources.ts";
import type { ActiveRuns } from "../active-runs.ts";
import { type Controller, done } from "../controller.ts";
import { type FinalizedRun, type Finalizing, finalizeRun } from "../finalize-run.ts";
import type { Resources } from "../resources.ts";
import { openBackupStore, openSnapshotLocation, type RunSurroundings } from "../run-surroundings.ts";
import { endCanceledBackup, type SettleCanceled } from "./end-canceled-backup.ts";

export interface BackupFinalizerDeps {
  readonly backups: Resources<Backup>;
  readonly world: RunSurroundings;
  readonly active: ActiveRuns;
  readonly finalizing: ActiveRuns;
  readonly settle: SettleCanceled;
  readonly onPhase: (backup: Backup, archiveBytes?: number) => void;
}

/** Brings backups whose operations have ended to their end: items that operations changed are taken again. */
export function backupFinalizerController(deps: BackupFinalizerDeps): Controller {
  const { backups, world, active, finalizing, onPhase } = deps;
  const parts: Finalizing<Backup> = {
    resources: backups,
    holder: world.holder,
    finalizing,
    finish: (backup, cancel, scope) => finalize(backup, cancel, world, scope),
    endCanceled: async (backup, scope) => ({ status: await endCanceledBackup(backup, deps, scope) }),
    onEnded: (backup, { archiveBytes }) => onPhase(backup, archiveBytes),
  };
  return {
    name: "backup-finalizer",
    type: veleroTypes.backup,
    workers: 2,
    reconcile: async (name, scope) => {
      const backup = await backups.find(name, scope);
      if (!backup || !isFinalizing(backup.status?.phase)) return done;
      if (active.isRunning(name)) return { requeueAfterMs: 20 }; // its run has written this phase and is about to end
      return finalizeRun(name, parts, withFields(scope, { backup: `${backups.namespace}/${name}` }));
    },
  };
}

async function finalize(
  backup: Backup,
  cancel: AbortSignal,
  world: RunSurroundings,
  scope: Scope,
): Promise<FinalizedRun> {
  const opening: Scope = { ...scope, signal: AbortSignal.any([scope.signal, cancel]) };
  await using store = await openBackupStore(backup, world, opening);
  await using scratch = await world.openScratch(opening);
  const ports = {
    cluster: world.cluster,
    plugins: (inner: Scope) => world.openPlugins(inner.log, inner),
    store,
    scratch,
    clock: world.clock,
    snapshotLocations: await usedSnapshotLocations(backup, world, opening),
  };
  return await finalizeBackup({ backup, cancel }, ports, scope);
}

/** The snapshot locations of a backup that still exist. */
async function usedSnapshotLocations({ spec }: Backup, world: RunSurroundings, scope: Scope) {
  const existing = await world.snapshotLocations.list({}, scope);
  const used = existing.filter(({ metadata }) => spec.volumeSnapshotLocations?.includes(metadata.name));
  return Promise.all(used.map(({ metadata }) => openSnapshotLocation(metadata.name, world, scope)));
}
