import { hasCode, type Scope } from "@jibe/base";
import { finalizeRestore, kubernetesTime, type RestoreHooks, type RestoreSettings, restoreKeys } from "@jibe/engine";
import { canceledByUser } from "../../api/names.ts";
import type { Backup, Restore } from "../../api/resources.ts";
import type { ActiveRuns } from "../active-runs.ts";
import { logCancel } from "../cancel/log-cancel.ts";
import { writeInTime } from "../cancel/write-in-time.ts";
import { failedStatus } from "../failed-status.ts";
import type { FinalizedRun, Finalizing } from "../finalize-run.ts";
import type { Resources } from "../resources.ts";
import { openBackupStore, type RunSurroundings } from "../run-surroundings.ts";

export interface RestoreFinalizerDeps {
  readonly restores: Resources<Restore>;
  readonly backups: Resources<Backup>;
  readonly world: RunSurroundings;
  readonly finalizing: ActiveRuns;
  readonly settings: RestoreSettings;
  readonly onPhase: (restore: Restore) => void;
}

/** The last step of restores. Their hooks, which go on after the items, are known by the restore's UID. */
export function restoreFinalizer(
  { restores, backups, world, finalizing, settings, onPhase }: RestoreFinalizerDeps,
  hooks: ReadonlyMap<string, RestoreHooks>,
): Finalizing<Restore> {
  /** Nothing when the backup or its location was removed meanwhile. */
  const storeOf = async ({ spec }: Restore, scope: Scope) => {
    const backup = await backups.find(spec.backupName ?? "", scope);
    return (
      backup &&
      openBackupStore(backup, world, scope).catch((error: unknown) => {
        if (!hasCode(error, "NotFound")) throw error;
        return undefined;
      })
    );
  };
  return {
    resources: restores,
    holder: world.holder,
    finalizing,
    finish: async (restore, cancel, scope): Promise<FinalizedRun> => {
      const inner: Scope = { ...scope, signal: AbortSignal.any([scope.signal, cancel]) };
      await using store = await storeOf(restore, inner);
      const completionTimestamp = kubernetesTime(world.clock.now());
      if (!store) return { status: { phase: "PartiallyFailed", completionTimestamp } };
      const own = hooks.get(restore.metadata.uid ?? "");
      const request = { restore, settings, ...(own ? { hooks: own } : {}) };
      const ports = { cluster: world.cluster, store, clock: world.clock };
      return { status: await finalizeRestore(request, ports, inner) };
    },
    endCanceled: async (restore, scope) => {
      const status = failedStatus(canceledByUser, world);
      const write = async (inner: Scope) => {
        await using store = await storeOf(restore, inner);
        if (!store) return status;
        const { log } = restoreKeys(restore.metadata.name);
        await logCancel(restore, { kind: "restore", log, store, clock: world.clock }, inner);
        return status;
      };
      return { status: await writeInTime({ otherwise: status, write }, world, scope) };
    },
    onEnded: (restore) => onPhase(restore),
  };
}

/** Stops the hooks of a restore that has ended or is being deleted. */
export async function stopHooks({ metadata }: Restore, hooks: Map<string, RestoreHooks>): Promise<void> {
  const own = hooks.get(metadata.uid ?? "");
  hooks.delete(metadata.uid ?? "");
  await own?.[Symbol.asyncDispose]();
}
