import { parseGoDuration } from "@jibe/base";
import { labelValueFrom } from "@jibe/engine";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { labels } from "../../api/names.ts";
import type { Backup, BackupStorageLocation, Schedule } from "../../api/resources.ts";
import { timeMs } from "../../api/time.ts";

/** When a location is to be synced next: 0 for now, nothing for never. */
export function syncDueInMs(location: BackupStorageLocation, defaultPeriodMs: number, now: Date): number | undefined {
  const { backupSyncPeriod } = location.spec;
  const period = backupSyncPeriod ? parseGoDuration(backupSyncPeriod) : defaultPeriodMs;
  if (period === 0) return undefined;
  const synced = timeMs(location.status?.lastSyncedTime);
  if (synced === undefined) return 0;
  return Math.max(0, synced + (period < 0 ? defaultPeriodMs : period) - now.getTime());
}

/** Phases in which a server leaves a backup in the store for good. */
const finished: ReadonlySet<string | undefined> = new Set(["Completed", "PartiallyFailed", "Failed"]);
const unfinished: ReadonlySet<string | undefined> = new Set([
  "WaitingForPluginOperations",
  "WaitingForPluginOperationsPartiallyFailed",
  "Finalizing",
  "FinalizingPartiallyFailed",
]);

/**
 * The resource to make of a backup found in the store, or nothing while another server is still at work on it. One whose server
 * never came back is taken in once it expired, so that it can be deleted. Whoever can write to the store must not be able to make us run
 * anything: what looks as if it were yet to run is not taken in, and hooks, which only a run reads, are left out.
 */
export function importedBackup(
  stored: Backup,
  {
    namespace,
    location,
    schedules,
    now,
  }: {
    readonly namespace: string;
    readonly location: string;
    readonly schedules: readonly Schedule[];
    readonly now: Date;
  },
): Backup | undefined {
  const { resourceVersion: _, ownerReferences = [], ...metadata } = stored.metadata;
  const expires = timeMs(stored.status?.expiration);
  const isUnfinished = unfinished.has(stored.status?.phase);
  if (!isUnfinished && !finished.has(stored.status?.phase)) return undefined;
  if (isUnfinished && (expires === undefined || expires > now.getTime())) return undefined;
  const { hooks: _hooks, ...spec } = stored.spec;
  const owners = ownerReferences.filter(
    ({ kind, name, uid }) =>
      kind !== "Schedule" || schedules.some(({ metadata: own }) => own.name === name && own.uid === uid),
  );
  return {
    ...stored,
    metadata: {
      ...metadata,
      namespace,
      labels: { ...metadata.labels, [labels.storageLocation]: labelValueFrom(location) },
      ...(owners.length > 0 ? { ownerReferences: owners } : {}),
    },
    spec: { ...spec, storageLocation: location },
    ...(isUnfinished ? { status: { ...stored.status, phase: "PartiallyFailed" as const } } : {}),
  };
}

/** The resource to make of a pod volume backup found beside its backup: owned by the resource that the backup became here. */
export function importedPodVolumeBackup(stored: KubernetesObject, backup: Backup, location: string): KubernetesObject {
  const { resourceVersion: _, ownerReferences = [], labels: own = {}, ...metadata } = stored.metadata;
  const { name, namespace = "", uid = "" } = backup.metadata;
  return {
    ...stored,
    metadata: {
      ...metadata,
      namespace,
      labels: { ...own, ...(labels.backupUid in own ? { [labels.backupUid]: uid } : {}) },
      ownerReferences: ownerReferences.map((owner) =>
        owner.kind === "Backup" && owner.name === name ? { ...owner, uid } : owner,
      ),
    },
    spec: { ...(stored["spec"] as object | undefined), backupStorageLocation: location },
  };
}

/** Backups of a location that ended but no longer exist in its store. */
export function orphanedBackups(backups: readonly Backup[], location: string, stored: ReadonlySet<string>): Backup[] {
  return backups.filter(
    ({ metadata, spec, status }) =>
      (spec.storageLocation ?? "") === location &&
      (status?.phase === "Completed" || status?.phase === "PartiallyFailed") &&
      !stored.has(metadata.name),
  );
}
