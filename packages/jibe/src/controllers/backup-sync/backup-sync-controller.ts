import { type Clock, hasCode, messageOf, type Scope } from "@jibe/base";
import { backupsPrefix, type ObjectStore } from "@jibe/engine";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup, BackupStorageLocation, Schedule } from "../../api/resources.ts";
import { timestamp } from "../../api/time.ts";
import { type Controller, done } from "../controller.ts";
import type { Resources } from "../resources.ts";
import type { StorageLocations } from "../storage-locations.ts";
import { orphanedBackups, syncDueInMs } from "./decide-sync.ts";
import { isHalfTakenIn, takeInBackup } from "./take-in-backup.ts";

export interface BackupSyncDeps {
  readonly locations: Resources<BackupStorageLocation>;
  readonly backups: Resources<Backup>;
  readonly podVolumeBackups: Resources<KubernetesObject>;
  readonly schedules: Resources<Schedule>;
  readonly stores: StorageLocations;
  readonly clock: Clock;
  readonly periodMs: number;
}

/** Keeps the cluster's backups equal to what the store holds: takes in those of other clusters, drops those that are gone. */
export function backupSyncController(deps: BackupSyncDeps): Controller {
  const { locations, clock, periodMs, stores } = deps;
  return {
    name: "backup-sync",
    type: veleroTypes.backupStorageLocation,
    resyncMs: 60_000,
    reconcile: async (name, scope) => {
      const location = await locations.find(name, scope);
      if (!location || location.metadata.deletionTimestamp) return done;
      const dueInMs = syncDueInMs(location, periodMs, clock.now());
      if (dueInMs === undefined) return done;
      if (dueInMs > 0) return { requeueAfterMs: dueInMs };
      if (location.status?.phase !== "Available") return { requeueAfterMs: 10_000 };
      await using store = await stores.open(location, scope);
      const stored = await storedNames(store, scope);
      const present = await deps.backups.list({}, scope);
      await takeIn(location, stored, present, store, deps, scope);
      for (const { metadata } of orphanedBackups(present, name, stored)) {
        await deps.backups.delete(metadata.name, scope);
        scope.log.info("backup is gone from its store; its resource was removed", {
          backup: metadata.name,
          location: name,
        });
      }
      await locations.patch(name, { status: { lastSyncedTime: timestamp(clock.now()) } }, scope);
      return { requeueAfterMs: Math.max(1000, periodMs) };
    },
  };
}

async function storedNames(store: ObjectStore, scope: Scope): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const prefix of store.listPrefixes(backupsPrefix, scope)) {
    names.add(prefix.slice(backupsPrefix.length).replace(/\/$/, ""));
  }
  return names;
}

async function takeIn(
  location: BackupStorageLocation,
  stored: ReadonlySet<string>,
  present: readonly Backup[],
  store: ObjectStore,
  deps: BackupSyncDeps,
  scope: Scope,
): Promise<void> {
  const known = new Map(present.map((backup) => [backup.metadata.name, backup]));
  const wanted = [...stored].filter((name) => isHalfTakenIn(known.get(name), location) ?? true);
  if (wanted.length === 0) return;
  const context = {
    namespace: deps.backups.namespace,
    location: location.metadata.name,
    schedules: await deps.schedules.list({}, scope),
    now: deps.clock.now(),
  };
  for (const name of wanted) {
    try {
      await takeInBackup({ name, existing: known.get(name), store, context }, deps, scope);
    } catch (error) {
      scope.signal.throwIfAborted();
      if (hasCode(error, "AlreadyExists")) continue;
      scope.log.warn("cannot take in a backup found in the store", { backup: name, error: messageOf(error) });
    }
  }
}
