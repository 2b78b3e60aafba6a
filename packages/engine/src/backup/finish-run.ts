import { messageOf, type Scope } from "@jibe/base";
import type { Backup } from "@jibe/plugin-sdk/contracts";
import { compareBytes } from "../layout/go-json.ts";
import type { BackupOperation } from "../operations/item-operation.ts";
import type { StatusWriter } from "../progress/status-writer.ts";
import type { StoredSnapshot } from "../volumes/stored-snapshot.ts";
import { volumeInfos } from "../volumes/volume-info.ts";
import type { BackedUpItems } from "./backed-up-items.ts";
import type { BackupPorts, BackupResult, BackupStatusPatch } from "./backup-request.ts";
import type { BackupRun } from "./backup-run.ts";
import { finalSnapshots } from "./final-snapshots.ts";
import type { ItemAccount } from "./item-account.ts";
import type { RunFiles } from "./run-files.ts";
import { hookStatusOf, type RunOutcome, statusAfterRun } from "./run-outcome.ts";
import { progressOf } from "./run-progress.ts";
import { uploadBackup } from "./upload-backup.ts";

/** A run whose items have had their turns, or whose work has failed. */
export interface EndedRun {
  readonly backup: Backup;
  /** Why it failed. */
  readonly failed: string | undefined;
  readonly operations: readonly BackupOperation[];
  readonly snapshots: readonly StoredSnapshot[];
  readonly items: BackedUpItems;
  readonly account: ItemAccount;
  /** Absent when it failed before it began. */
  readonly run: BackupRun | undefined;
  readonly files: RunFiles;
  readonly ports: BackupPorts;
  readonly writer: StatusWriter<BackupStatusPatch>;
}

/** Completes the files of a run, decides its phase and uploads. What is logged to `outer` from here on is not in the run's log. */
export async function finishRun(ended: EndedRun, outer: Scope): Promise<BackupResult> {
  const { backup, run, items, operations, files, ports } = ended;
  const scope: Scope = { signal: outer.signal, log: files.log.logger };
  const broken = await failureOf(files.archive.finish(), scope);
  ended.account.close();
  const hooks = { attempted: run?.hooks.attempted ?? 0, failed: run?.hooks.failed ?? 0 };
  await writeFinalProgress(ended.writer, { items: items.count, hooks }, scope);
  scope.log.info(`Summary for skipped PVs: ${JSON.stringify(run?.volumes?.skipped.summary() ?? [])}`);
  scope.log.info(`Backed up a total of ${items.count} items`);

  const snapshots = finalSnapshots(ended.snapshots, operations).sort(byVolume);
  const { warnings, errors } = files.ledger;
  const fatal = ended.failed ?? broken;
  const outcome: RunOutcome = { fatal, warnings, errors, items: items.count, hooks, operations, snapshots };
  const status = statusAfterRun(backup, outcome, ports.clock.now());
  const contents = broken === undefined ? files.contents : undefined;
  const uploading = upload({ ...ended, backup: { ...backup, status }, snapshots }, contents, outer);
  const lost = await failureOf(uploading, outer);
  if (lost === undefined) {
    const phase = status.phase as BackupResult["phase"];
    return { phase, status, operations, snapshots, archiveBytes: contents?.size ?? 0 };
  }
  const failureReason = fatal === undefined ? lost : `${fatal}; ${lost}`;
  const failed = { ...status, phase: "Failed", failureReason } as const;
  return { phase: "Failed", status: failed, operations, snapshots, archiveBytes: 0 };
}

/** Blocks end in any order; the files do not depend on it. */
function byVolume(a: StoredSnapshot, b: StoredSnapshot): number {
  return compareBytes(a.spec.persistentVolumeName, b.spec.persistentVolumeName);
}

async function upload(ended: EndedRun, contents: RunFiles["contents"] | undefined, scope: Scope): Promise<void> {
  const { backup, operations, snapshots, items, run, files, ports } = ended;
  const log = await completed(files.log, scope);
  const ledger = await completed(files.ledger, scope);
  const onUnknown = (name: string) => scope.log.warn(`Cannot find info for PV ${name}`);
  const volumes = run?.volumes;
  const skipped = volumes?.skipped.summary() ?? [];
  const infos = volumes ? volumeInfos({ volumes: volumes.items, skipped, snapshots, onUnknown }) : [];
  const resourceList = items.resourceListJson();
  const results = files.ledger.results();
  const content = { backup, log, ledger, contents, resourceList, results, operations, snapshots, volumeInfos: infos };
  await uploadBackup(content, ports.store, scope);
}

async function writeFinalProgress(
  writer: StatusWriter<BackupStatusPatch>,
  { items, hooks }: Pick<RunOutcome, "items" | "hooks">,
  scope: Scope,
): Promise<void> {
  const patch = { progress: progressOf(items, items), hookStatus: hookStatusOf(hooks) };
  const failure = await failureOf(writer.finish(patch, scope), scope);
  if (failure === undefined) return;
  scope.log.warn("Got error trying to update backup's status.progress and hook status", { error: failure });
}

/** The text of what went wrong, if something did. */
async function failureOf(work: Promise<void>, { signal }: Scope): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return messageOf(error);
  }
}

/** The file, complete; `undefined` when it could not be written, which is logged. */
async function completed<File>(source: { finish(): Promise<File> }, scope: Scope): Promise<File | undefined> {
  return source.finish().catch((error: unknown) => {
    scope.signal.throwIfAborted();
    scope.log.error("cannot complete a file of the backup", { error: messageOf(error) });
    return undefined;
  });
}
