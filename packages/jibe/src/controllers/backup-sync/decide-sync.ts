import { parseGoDuration } from "@jibe/base";
import { labelValueFrom } from "@jibe/engine";
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

const unfinished: ReadonlySet<string | undefined> = new Set([
  "WaitingForPluginOperations",
  "WaitingForPluginOperationsPartiallyFailed",
  "Finalizing",
  "FinalizingPartiallyFailed",
]);

/**
 * The resource to make of a backup found in the store, or nothing while another server is still at work on it. One whose server
 * never came back is taken in once it expired, so that it can be deleted.
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
  if (isUnfinished && (expires === undefined || expires > now.getTime())) return undefined;
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
    spec: { ...stored.spec, storageLocation: location },
    ...(isUnfinished ? { status: { ...stored.status, phase: "PartiallyFailed" as const } } : {}),
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
