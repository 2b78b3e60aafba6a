import { AppError, hasCode, messageOf, type Scope } from "@jibe/base";
import type { Backup, BackupPhase, BackupStatus } from "@jibe/plugin-sdk/contracts";
import { rewriteArchive } from "../archive/index.ts";
import { kubernetesTime, readGzippedJson } from "../layout/go-json.ts";
import { backupKeys } from "../layout/object-keys.ts";
import { chunk, put, putJson } from "../layout/put-json.ts";
import { addToResults, type MessageCounts } from "../ledger/add-to-results.ts";
import { createLedger, type Ledger } from "../ledger/ledger.ts";
import type { BackupOperation } from "../operations/item-operation.ts";
import { isFinalizing, phaseAfterFinalizing } from "../operations/next-phase.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import { createRunLog } from "../run-log/run-log.ts";
import type { StoredSnapshot } from "../volumes/stored-snapshot.ts";
import type { StoredVolumeInfo } from "../volumes/volume-info.ts";
import type { BackupPorts } from "./backup-request.ts";
import { encodeBackup } from "./encode-backup.ts";
import { deleteFailedSnapshots, finalSnapshots, finalVolumeInfos } from "./final-snapshots.ts";
import { openPlugins } from "./open-plugins.ts";
import { updatedItems } from "./updated-items.ts";

export type FinalizeBackupPorts = Pick<
  BackupPorts,
  "cluster" | "plugins" | "store" | "scratch" | "clock" | "snapshotLocations"
>;

export interface FinalizeBackupRequest {
  /** In phase Finalizing or FinalizingPartiallyFailed; actions see it. */
  readonly backup: Backup;
  /** Stops it before its end, with the signal's reason. Not heeded any more once the end is being written down. */
  readonly cancel?: AbortSignal;
}

export interface FinalizeBackupResult {
  readonly phase: Extract<BackupPhase, "Completed" | "PartiallyFailed" | "Failed">;
  /** The whole status, phase included, as the uploaded metadata has it. */
  readonly status: BackupStatus;
  /** Bytes of the rewritten archive; `undefined` when it stayed as it was. */
  readonly archiveBytes: number | undefined;
}

/**
 * Ends a backup whose operations have ended. Items that operations named are read again, run through the actions and replaced in the
 * archive; results of volume snapshots are filled in. What goes wrong with an item is counted and listed like an error of the run. An
 * archive that is gone or corrupt ends the backup as failed: trying again would not bring it back. Any other failure of the whole is
 * thrown: nothing that was there before is lost, and it can be tried again.
 */
export async function finalizeBackup(
  { backup, cancel }: FinalizeBackupRequest,
  ports: FinalizeBackupPorts,
  scope: Scope,
): Promise<FinalizeBackupResult> {
  const inner: Scope = cancel ? { ...scope, signal: AbortSignal.any([scope.signal, cancel]) } : scope;
  const { status, archiveBytes } = await finalizeContents(backup, ports, inner).catch((error: unknown) => {
    if (!hasCode(error, "DataLoss")) throw error;
    scope.log.error("backup failed", { error: messageOf(error) });
    return { status: lostStatus(backup, messageOf(error), ports.clock.now()), archiveBytes: undefined };
  });
  inner.signal.throwIfAborted();
  const metadata = new TextEncoder().encode(encodeBackup({ ...backup, status }));
  await put(ports.store, backupKeys(backup.metadata.name).metadata, () => chunk(metadata), scope);
  return { phase: status.phase as FinalizeBackupResult["phase"], status, archiveBytes };
}

async function finalizeContents(
  backup: Backup,
  ports: FinalizeBackupPorts,
  scope: Scope,
): Promise<Pick<FinalizeBackupResult, "status" | "archiveBytes">> {
  const { store, scratch, clock } = ports;
  const keys = backupKeys(backup.metadata.name);
  const operations = await readList<BackupOperation>(store, keys.itemOperations, scope);
  await using ledger = await createLedger({ scratch }, scope);
  const { namespace = "", name } = backup.metadata;
  const fields = { backup: `${namespace}/${name}` };
  const count = (line: Parameters<Ledger["countLogLine"]>[0]) => ledger.countLogLine(line);
  await using log = await createRunLog({ scratch, clock, fields, tee: scope.log, count }, scope);
  const inner: Scope = { signal: scope.signal, log: log.logger };

  const changes = operations.length === 0 ? undefined : await applyOperations(backup, operations, ports, inner);
  const { errors = 0, warnings = 0 } = backup.status ?? {};
  const file = { store, key: keys.results, status: { errors, warnings } };
  const found = changes ? await addToResults(ledger.results(), file, scope) : file.status;
  const status = finalStatus(backup, { operations, snapshots: changes?.snapshots, found, now: clock.now() });
  return { status, archiveBytes: changes?.archiveBytes };
}

/** The archive comes before the metadata: whoever sees a final phase sees the final content. */
async function applyOperations(
  backup: Backup,
  operations: readonly BackupOperation[],
  ports: FinalizeBackupPorts,
  scope: Scope,
): Promise<{ readonly snapshots: readonly StoredSnapshot[]; readonly archiveBytes: number | undefined }> {
  const { store, scratch, clock, snapshotLocations } = ports;
  const keys = backupKeys(backup.metadata.name);
  await using plugins = await openPlugins(ports.plugins, scope);
  const replacements = await updatedItems({ backup, operations, ports, plugins }, scope);

  const before = await readList<StoredSnapshot>(store, keys.volumeSnapshots, scope);
  const snapshots = finalSnapshots(before, operations);
  await deleteFailedSnapshots(operations, { plugins, snapshotLocations }, scope);
  if (snapshots.some((snapshot, index) => snapshot !== before[index])) {
    await putJson(store, keys.volumeSnapshots, snapshots, scope);
  }
  const infos = await readList<StoredVolumeInfo>(store, keys.volumeInfo, scope);
  await putJson(store, keys.volumeInfo, finalVolumeInfos(infos, snapshots), scope);

  if (replacements.size === 0) return { snapshots, archiveBytes: undefined };
  await using contents = await scratch.create("contents", scope);
  await rewriteArchive(store.get(keys.contents, scope), { sink: contents, clock, replacements }, scope).catch(
    (error: unknown) => {
      if (!hasCode(error, "NotFound") && !hasCode(error, "DataLoss")) throw error;
      throw new AppError("DataLoss", `the backup's archive ${keys.contents} cannot be read any more`, { cause: error });
    },
  );
  await put(store, keys.contents, () => contents.stream(scope), scope);
  return { snapshots, archiveBytes: contents.size };
}

async function readList<T>(store: ObjectStore, key: string, scope: Scope): Promise<readonly T[]> {
  return ((await readGzippedJson(store, key, scope)) ?? []) as unknown as readonly T[];
}

function lostStatus({ status = {} }: Backup, failureReason: string, now: Date): BackupStatus {
  return { ...status, phase: "Failed", failureReason, completionTimestamp: kubernetesTime(now) };
}

function finalStatus(
  backup: Backup,
  {
    operations,
    snapshots,
    found,
    now,
  }: {
    readonly operations: readonly BackupOperation[];
    readonly snapshots: readonly StoredSnapshot[] | undefined;
    readonly found: Required<MessageCounts>;
    readonly now: Date;
  },
): BackupStatus {
  const { status = {} } = backup;
  const completed = operations.filter((operation) => operation.status.phase === "Completed");
  const csi = completed.filter(({ spec }) => spec.resourceIdentifier.Resource === "volumesnapshots");
  const counts = {
    warnings: found.warnings,
    errors: found.errors,
    csiVolumeSnapshotsCompleted: csi.length,
    volumeSnapshotsCompleted:
      snapshots?.filter((snapshot) => snapshot.status.phase === "Completed").length ??
      status.volumeSnapshotsCompleted ??
      0,
  };
  const phase = isFinalizing(status.phase) ? status.phase : "Finalizing";
  return {
    ...status,
    ...Object.fromEntries(Object.entries(counts).filter(([, value]) => value > 0)),
    phase: phaseAfterFinalizing(phase, { newErrors: Math.max(0, found.errors - (status.errors ?? 0)) }),
    completionTimestamp: kubernetesTime(now),
  };
}
