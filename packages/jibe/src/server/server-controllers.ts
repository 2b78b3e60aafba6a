import { formatGoDuration, type Scope } from "@jibe/base";
import {
  type BackupOperation,
  defaultRestoreSettings,
  deleteBackupContents,
  type RestoreOperation,
} from "@jibe/engine";
import { labels } from "../api/names.ts";
import { veleroTypes } from "../api/resource-types.ts";
import type { Backup, Restore } from "../api/resources.ts";
import { logLevels } from "../cli/server/server-flags.ts";
import { clientVersion } from "../cli/version/client-version.ts";
import { ActiveRuns } from "../controllers/active-runs.ts";
import { backupController } from "../controllers/backup/backup-controller.ts";
import { backupFinalizerController } from "../controllers/backup/backup-finalizer-controller.ts";
import type { SettleCanceled } from "../controllers/backup/end-canceled-backup.ts";
import { storeBackup } from "../controllers/backup/store-backup.ts";
import { backupDeletionController } from "../controllers/backup-deletion/backup-deletion-controller.ts";
import { backupQueueController } from "../controllers/backup-queue/backup-queue-controller.ts";
import { backupStorageLocationController } from "../controllers/backup-storage-location/backup-storage-location-controller.ts";
import { backupSyncController } from "../controllers/backup-sync/backup-sync-controller.ts";
import { cancelController } from "../controllers/cancel/cancel-controller.ts";
import type { Controller } from "../controllers/controller.ts";
import { downloadRequestController } from "../controllers/download-request/download-request-controller.ts";
import { gcController } from "../controllers/gc/gc-controller.ts";
import { LiveLogs } from "../controllers/live-logs.ts";
import { backupOperationPlugin } from "../controllers/operations/backup-operation-plugin.ts";
import { operationsController } from "../controllers/operations/operations-controller.ts";
import { backupOperationsKind, restoreOperationsKind } from "../controllers/operations/operations-kind.ts";
import { restoreOperationPlugin } from "../controllers/operations/restore-operation-plugin.ts";
import { settleSnapshots } from "../controllers/operations/settle-snapshots.ts";
import { restoreController } from "../controllers/restore/restore-controller.ts";
import { openBackupStore, openSnapshotLocation } from "../controllers/run-surroundings.ts";
import { scheduleController } from "../controllers/schedule/schedule-controller.ts";
import { serverStatusRequestController } from "../controllers/server-status-request/server-status-request-controller.ts";
import type { RunningOperation } from "../metrics/index.ts";
import { observeRuns } from "./observe-runs.ts";
import { restoreSettingsFrom } from "./restore-settings.ts";
import type { ServerParts } from "./server-parts.ts";

const pollsAtOnce = 32;

export interface ServerControllers extends AsyncDisposable {
  readonly list: readonly Controller[];
}

/** Asynchronous operations that run now, for the metrics. */
export type OperationsNow = { current: () => readonly RunningOperation[] };

/** The controllers that the configuration asks for, and the plugins they share between runs. */
export async function serverControllers(
  parts: ServerParts,
  now: OperationsNow,
  scope: Scope,
): Promise<ServerControllers> {
  const shared = await parts.world.openPlugins(scope.log, scope);
  const { config } = parts;
  const backupRuns = { active: new ActiveRuns(), finalizing: new ActiveRuns(), liveLogs: new LiveLogs() };
  const restoreRuns = { active: new ActiveRuns(), finalizing: new ActiveRuns(), liveLogs: new LiveLogs() };
  const operations = operationControllers(parts, shared);
  now.current = () => [
    ...operations.backup.running().map((one) => ({ ...one, run: "backup" as const })),
    ...operations.restore.running().map((one) => ({ ...one, run: "restore" as const })),
  ];
  const all = [
    ...backupControllers(parts, backupRuns, operations),
    ...restoreControllers(parts, restoreRuns, operations.restore),
    ...storageControllers(parts, operations, { BackupLog: backupRuns.liveLogs, RestoreLog: restoreRuns.liveLogs }),
    operations.backup,
    operations.restore,
  ];
  return {
    list: all.filter(({ name }) => !config.disabled.has(name)),
    [Symbol.asyncDispose]: () => shared[Symbol.asyncDispose](),
  };
}

interface RunsUnderWay {
  readonly active: ActiveRuns;
  readonly finalizing: ActiveRuns;
  readonly liveLogs: LiveLogs;
}

type SharedPlugins = Awaited<ReturnType<ServerParts["world"]["openPlugins"]>>;
type OperationControllers = ReturnType<typeof operationControllers>;

function operationControllers({ backups, restores, world, config, metrics }: ServerParts, plugins: SharedPlugins) {
  const { clock, holder } = world;
  const timing = { clock, holder, frequencyMs: config.flags.itemOperationSyncFrequency || 10_000, limit: pollsAtOnce };
  const snapshotLocation = (name: string, scope: Scope) => openSnapshotLocation(name, world, scope);
  const storeOfRestore = async (restore: Restore, scope: Scope) =>
    openBackupStore(await backups.get(restore.spec.backupName ?? "", scope), world, scope);
  const settle: SettleCanceled = (backup, operations, store, scope) =>
    settleSnapshots({ backup, operations, store }, { plugins, world }, scope);
  return {
    settle,
    backup: operationsController<Backup, BackupOperation>(
      {
        ...backupOperationsKind,
        pluginFor: (backup) => backupOperationPlugin(backup, { plugins, snapshotLocation }),
        openStore: (backup, scope) => openBackupStore(backup, world, scope),
        afterCancel: settle,
        storeObject: storeBackup,
      },
      { ...timing, resources: backups, onEnded: (ended) => metrics.operationEnded({ run: "backup", ...ended }) },
    ),
    restore: operationsController<Restore, RestoreOperation>(
      {
        ...restoreOperationsKind,
        pluginFor: (restore) => restoreOperationPlugin(restore, plugins),
        openStore: storeOfRestore,
      },
      { ...timing, resources: restores, onEnded: (ended) => metrics.operationEnded({ run: "restore", ...ended }) },
    ),
  };
}

function backupControllers(
  parts: ServerParts,
  { active, finalizing, liveLogs }: RunsUnderWay,
  { backup: operations, settle }: Pick<OperationControllers, "backup" | "settle">,
): Controller[] {
  const { backups, restores, schedules, deleteRequests, world, clock, config, cluster } = parts;
  const { flags, localZone } = config;
  const { locations } = world;
  const defaults = {
    ttl: formatGoDuration(flags.defaultBackupTtl),
    volumeGroupSnapshotLabelKey: flags.volumeGroupSnapshotLabelKey,
    csiSnapshotTimeout: "10m0s",
    itemOperationTimeout: formatGoDuration(flags.defaultItemOperationTimeout),
    resourceTimeout: formatGoDuration(flags.resourceTimeout),
    volumesToFsBackup: flags.defaultVolumesToFsBackup,
    snapshotMoveData: flags.defaultSnapshotMoveData,
    storageLocation: flags.defaultBackupStorageLocation,
    volumeSnapshotLocations: flags.defaultVolumeSnapshotLocations,
    ...(flags.globalBackupVolumePoliciesConfigmap
      ? { volumePoliciesConfigMap: flags.globalBackupVolumePoliciesConfigmap }
      : {}),
  };
  const options = {
    itemBlockConcurrency: flags.itemBlockWorkerCount,
    pageSize: flags.clientPageSize,
    features: flags.features,
    logFormat: flags.logFormat,
    logLevel: logLevels[flags.logLevel],
  };
  const frequencyMs = flags.garbageCollectionFrequency || 3_600_000;
  const observe = observeRuns(parts.metrics);
  return [
    backupQueueController({ backups, cluster, concurrentBackups: flags.concurrentBackups }),
    backupController({
      backups,
      world,
      active,
      liveLogs,
      concurrentBackups: flags.concurrentBackups,
      defaults,
      options,
      onPhase: observe.backup,
    }),
    backupFinalizerController({ backups, world, active, finalizing, settle, onPhase: observe.backup }),
    cancelController({ kind: "backup", type: veleroTypes.backup, resources: backups, active, finalizing, operations }),
    backupDeletionController({
      requests: deleteRequests,
      backups,
      restores,
      locations,
      clock,
      isRunning: (name) => active.isRunning(name),
      cancelOperations: (backup, scope) => operations.cancel(backup, "the backup is being deleted", scope),
      deleteContents: (backup, _location, scope) => {
        parts.metrics.backupDeletionStarted(scheduleOf(backup));
        return deleteContents(backup, parts, scope);
      },
      onResult: (backup, isDeleted) =>
        parts.metrics.backupDeletionEnded(scheduleOf(backup), isDeleted ? "success" : "failure"),
    }),
    gcController({ backups, locations, requests: deleteRequests, clock, frequencyMs }),
    scheduleController({
      schedules,
      backups,
      clock,
      localZone,
      skipImmediately: flags.scheduleSkipImmediately,
      onKnown: (name, interval) => parts.metrics.scheduleKnown(name, interval),
      onGone: (name) => parts.metrics.scheduleGone(name),
    }),
  ];
}

const scheduleOf = ({ metadata }: Backup) => metadata.labels?.[labels.scheduleName] ?? "";

async function deleteContents(
  backup: Backup,
  { world, cluster }: ServerParts,
  scope: Scope,
): Promise<readonly string[]> {
  await using store = await openBackupStore(backup, world, scope);
  await using scratch = await world.openScratch(scope);
  await using plugins = await world.openPlugins(scope.log, scope);
  const snapshotLocation = (name: string, inner: Scope) => openSnapshotLocation(name, world, inner);
  return await deleteBackupContents(backup, { cluster, plugins, store, scratch, snapshotLocation }, scope);
}

function restoreControllers(
  parts: ServerParts,
  { active, finalizing, liveLogs }: RunsUnderWay,
  operations: OperationControllers["restore"],
): Controller[] {
  const { restores, backups, world, config } = parts;
  return [
    restoreController({
      restores,
      backups,
      world,
      active,
      finalizing,
      liveLogs,
      concurrentRestores: config.flags.concurrentRestores,
      settings: { ...defaultRestoreSettings, ...restoreSettingsFrom(config) },
      defaultItemOperationTimeoutMs: config.flags.defaultItemOperationTimeout,
      cancelOperations: (restore, scope) => operations.cancel(restore, "the restore is being deleted", scope),
      onPhase: observeRuns(parts.metrics).restore,
    }),
    cancelController({
      kind: "restore",
      type: veleroTypes.restore,
      resources: restores,
      active,
      finalizing,
      operations,
    }),
  ];
}

function storageControllers(
  parts: ServerParts,
  operations: OperationControllers,
  liveLogs: Readonly<Record<string, LiveLogs>>,
): Controller[] {
  const { world, backups, restores, schedules, downloadRequests, statusRequests, plugins, clock, config, cluster } =
    parts;
  const { locations, stores } = world;
  const { flags } = config;
  return [
    backupStorageLocationController({
      locations,
      stores,
      clock,
      frequencyMs: flags.storeValidationFrequency,
      onChecked: (name, isAvailable) => parts.metrics.locationChecked(name, isAvailable),
      onGone: (name) => parts.metrics.locationGone(name),
    }),
    backupSyncController({
      locations,
      backups,
      podVolumeBackups: parts.podVolumeBackups,
      schedules,
      stores,
      clock,
      periodMs: flags.backupSyncPeriod,
    }),
    downloadRequestController({
      requests: downloadRequests,
      backups,
      restores,
      locations,
      stores,
      cluster,
      clock,
      flushOperations: async (name, scope) => {
        await operations.backup.flush(name, scope);
        await operations.restore.flush(name, scope);
      },
      liveContent: (kind, name, scope) => liveLogs[kind]?.soFar(name, scope),
    }),
    serverStatusRequestController({
      requests: statusRequests,
      serverVersion: clientVersion,
      plugins: () => plugins,
      clock,
    }),
  ];
}
