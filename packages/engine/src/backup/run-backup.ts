import { AppError, hasCode, messageOf, type Scope } from "@jibe/base";
import type { Backup } from "@jibe/plugin-sdk/contracts";
import type { ArchiveEntry } from "../archive/index.ts";
import { kubernetesTime } from "../layout/go-json.ts";
import { backupKeys } from "../layout/object-keys.ts";
import type { BackupOperation } from "../operations/item-operation.ts";
import type { RunPlugins } from "../ports/plugins.ts";
import { createStatusWriter, type StatusWriter } from "../progress/status-writer.ts";
import { volumeInfos } from "../volumes/volume-info.ts";
import { backUpDefinitions } from "./back-up-definitions.ts";
import { backUpBlocks, collectForRun } from "./back-up-items.ts";
import { BackedUpItems } from "./backed-up-items.ts";
import type { BackupPorts, BackupRequest, BackupResult, BackupStatusPatch, StartedWork } from "./backup-request.ts";
import type { BackupRun } from "./backup-run.ts";
import { cancelOperations } from "./cancel-operations.ts";
import { pollOnce } from "./first-poll.ts";
import { ItemAccount } from "./item-account.ts";
import { openPlugins } from "./open-plugins.ts";
import { type OpenedRun, openRun } from "./open-run.ts";
import { openRunFiles, type RunFiles } from "./run-files.ts";
import { hookStatusOf, type RunOutcome, statusAfterRun } from "./run-outcome.ts";
import { progressOf, RunProgress } from "./run-progress.ts";
import { StartedWorkList } from "./started-work.ts";
import { uploadBackup } from "./upload-backup.ts";

/**
 * Runs a backup from its prepared resource to a complete set of files in the store, and says which phase comes next. A failure of the
 * run is a result, too: its log and account are uploaded, and the status has the reason. Only being stopped from outside is thrown; then
 * nothing is uploaded.
 */
export async function runBackup(request: BackupRequest, ports: BackupPorts, scope: Scope): Promise<BackupResult> {
  const { backup } = request;
  try {
    await requireNew(backup, ports, scope);
    await using files = await openRunFiles(request, ports, scope);
    return await new Session(request, ports, files).run(scope);
  } catch (error) {
    scope.signal.throwIfAborted();
    const reason = { failureReason: messageOf(error), completionTimestamp: kubernetesTime(ports.clock.now()) };
    const status = { ...backup.status, phase: "Failed", ...reason } as const;
    return { phase: "Failed", status, operations: [], snapshots: [], archiveBytes: 0 };
  }
}

async function requireNew(backup: Backup, { store }: BackupPorts, scope: Scope): Promise<void> {
  const exists = await store.exists(backupKeys(backup.metadata.name).metadata, scope).catch((cause: unknown) => {
    scope.signal.throwIfAborted();
    throw new AppError("Unavailable", "error checking if backup already exists in object storage", { cause });
  });
  if (exists) throw new AppError("AlreadyExists", "backup already exists in object storage");
}

/** One run: its parts, and the way through them. */
class Session {
  readonly #request: BackupRequest;
  readonly #ports: BackupPorts;
  readonly #files: RunFiles;
  readonly #stopping = new AbortController();
  readonly #items = new BackedUpItems();
  readonly #types = new Set<string>();
  readonly #account: ItemAccount;
  #operations: readonly BackupOperation[] | undefined;
  #run: BackupRun | undefined;

  constructor(request: BackupRequest, ports: BackupPorts, files: RunFiles) {
    this.#request = request;
    this.#ports = ports;
    this.#files = files;
    this.#account = new ItemAccount({ items: this.#items, ledger: files.ledger, log: files.log.fileOnly });
  }

  async run(outer: Scope): Promise<BackupResult> {
    const { cancel } = this.#ports;
    const scope: Scope = { signal: outer.signal, log: this.#files.log.logger };
    const signals = [outer.signal, this.#stopping.signal, ...(cancel ? [cancel] : [])];
    const working: Scope = { ...scope, signal: AbortSignal.any(signals) };
    const writer = this.#statusWriter(scope);
    const saver = this.#startedSaver(scope);
    const started = new StartedWorkList((work) => saver.update(work));
    const progress = new RunProgress({
      account: this.#account,
      clock: this.#ports.clock,
      writer,
      onEvent: this.#ports.onEvent,
    });
    let fatal: string | undefined;
    try {
      await this.#work(started, progress, { scope, working });
      if (cancel?.aborted) throw cancel.reason;
    } catch (error) {
      outer.signal.throwIfAborted();
      fatal = messageOf(error);
      scope.log.info("backup failed", { reason: fatal });
    } finally {
      await saver.stop();
      await writer.stop();
    }
    progress.enter("upload");
    const result = await this.#finish(fatal, started, writer, { outer, scope });
    progress.enter("done");
    return result;
  }

  #statusWriter(scope: Scope): StatusWriter<BackupStatusPatch> {
    const { patchStatus: patch, clock } = this.#ports;
    const onError = (error: unknown) => {
      scope.log.warn("Got error trying to update backup's status.progress", { error: messageOf(error) });
    };
    return createStatusWriter({ patch, clock, onError }, scope);
  }

  #startedSaver(scope: Scope): StatusWriter<StartedWork> {
    const { saveStarted: patch = async () => {}, clock } = this.#ports;
    return createStatusWriter({ patch, clock }, scope);
  }

  /** `working` ends with the run's own failure or cancellation, `scope` only from outside. */
  async #work(
    started: StartedWorkList,
    progress: RunProgress,
    { scope, working }: { readonly scope: Scope; readonly working: Scope },
  ): Promise<void> {
    const { clock, snapshotLocations } = this.#ports;
    const { backup, options = {} } = this.#request;
    await using plugins = await openPlugins(this.#ports.plugins, working);
    try {
      const opened = await this.#open(plugins, started, progress, working);
      progress.enter("collect");
      await collectForRun(opened, options, working);
      working.log.info(`Collected ${this.#account.total} items matching the backup spec from the Kubernetes API`);
      progress.enter("items");
      await backUpBlocks(opened.run, options, working);
      await backUpDefinitions(this.#types, opened.run, working);
      const actions = opened.run.actions.all.map(({ action }) => action);
      progress.enter("operations");
      this.#operations = await pollOnce(started.operations, { backup, actions }, working);
    } catch (error) {
      scope.signal.throwIfAborted();
      const reason = this.#stopping.signal.aborted ? this.#stopping.signal.reason : error;
      const cancel = { backup, plugins, snapshotLocations, clock, reason: messageOf(reason) };
      this.#operations = await cancelOperations(started.operations, cancel, scope);
      throw reason;
    }
  }

  async #open(plugins: RunPlugins, started: StartedWorkList, progress: RunProgress, scope: Scope): Promise<OpenedRun> {
    const parts = {
      plugins,
      started,
      spool: this.#files.spool,
      items: this.#items,
      account: this.#account,
      store: (entry: ArchiveEntry, inner: Scope) => this.#store(entry, inner),
      onTurn: (groupResource: string) => progress.advance(groupResource),
      onType: (groupResource: string) => void this.#types.add(groupResource),
    };
    const opened = await openRun(this.#request, this.#ports, parts, scope);
    this.#run = opened.run;
    return opened;
  }

  /** An archive that cannot be written to ends the run. */
  async #store(entry: ArchiveEntry, scope: Scope): Promise<void> {
    try {
      await this.#files.archive.writeItem(entry, scope);
    } catch (error) {
      scope.signal.throwIfAborted();
      if (!hasCode(error, "InvalidArgument")) this.#stopping.abort(error);
      throw error;
    }
  }

  async #finish(
    failed: string | undefined,
    started: StartedWorkList,
    writer: StatusWriter<BackupStatusPatch>,
    { outer, scope }: { readonly outer: Scope; readonly scope: Scope },
  ): Promise<BackupResult> {
    const { clock, store } = this.#ports;
    const { log, ledger, contents, archive } = this.#files;
    const { backup } = this.#request;
    const broken = await archive.finish(scope).then(
      () => undefined,
      (error: unknown) => {
        scope.signal.throwIfAborted();
        return messageOf(error);
      },
    );
    this.#account.close();
    const items = this.#items.count;
    const hooks = { attempted: this.#run?.hooks.attempted ?? 0, failed: this.#run?.hooks.failed ?? 0 };
    await this.#writeFinalProgress(writer, { items, hooks }, scope);
    scope.log.info(`Backed up a total of ${items} items`);
    const { operations, snapshots } = {
      operations: this.#operations ?? started.operations,
      snapshots: started.snapshots,
    };
    const fatal = failed ?? broken;
    const { warnings, errors } = ledger;
    const outcome: RunOutcome = { fatal, warnings, errors, items, hooks, operations, snapshots };
    const status = statusAfterRun(backup, outcome, clock.now());
    const result = { phase: status.phase as BackupResult["phase"], status, operations, snapshots };
    try {
      await uploadBackup(
        {
          backup: { ...backup, status },
          log: await finished(log, outer),
          ledger: await finished(ledger, outer),
          contents: broken === undefined ? contents : undefined,
          resourceList: this.#items.resourceList(),
          results: ledger.results(),
          operations,
          snapshots,
          volumeInfos: this.#volumeInfos(started, outer),
        },
        store,
        outer,
      );
      return { ...result, archiveBytes: broken === undefined ? contents.size : 0 };
    } catch (error) {
      outer.signal.throwIfAborted();
      const failureReason = [fatal, messageOf(error)].filter((text) => text !== undefined).join("; ");
      return { ...result, phase: "Failed", status: { ...status, phase: "Failed", failureReason }, archiveBytes: 0 };
    }
  }

  async #writeFinalProgress(
    writer: StatusWriter<BackupStatusPatch>,
    { items, hooks }: Pick<RunOutcome, "items" | "hooks">,
    scope: Scope,
  ): Promise<void> {
    const patch = { progress: progressOf(items, items), hookStatus: hookStatusOf(hooks) };
    await writer.finish(patch, scope).catch((error: unknown) => {
      scope.signal.throwIfAborted();
      const text = "Got error trying to update backup's status.progress and hook status";
      scope.log.warn(text, { error: messageOf(error) });
    });
  }

  #volumeInfos(started: StartedWorkList, scope: Scope) {
    const volumes = this.#run?.volumes;
    if (!volumes || volumes.items.size === 0) return null;
    return volumeInfos({
      volumes: volumes.items,
      skipped: volumes.skipped.summary(),
      snapshots: started.snapshots,
      onUnknown: (name) => scope.log.warn(`Cannot find info for PV ${name}`),
    });
  }
}

/** The file, complete; `undefined` when it could not be written, which is logged. */
async function finished<File>(source: { finish(): Promise<File> }, scope: Scope): Promise<File | undefined> {
  return source.finish().catch((error: unknown) => {
    scope.signal.throwIfAborted();
    scope.log.error("cannot complete a file of the backup", { error: messageOf(error) });
    return undefined;
  });
}
