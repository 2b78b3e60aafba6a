import { hasCode, messageOf, type Scope, withDeadline } from "@jibe/base";
import type { ArchiveEntry } from "../archive/index.ts";
import type { BackupOperation } from "../operations/item-operation.ts";
import { isRunning } from "../operations/judge-answer.ts";
import type { RunPlugins } from "../ports/plugins.ts";
import { createStatusWriter, type StatusWriter } from "../progress/status-writer.ts";
import { backUpDefinitions } from "./back-up-definitions.ts";
import { backUpBlocks, collectForRun } from "./back-up-items.ts";
import { BackedUpItems } from "./backed-up-items.ts";
import type { BackupPorts, BackupRequest, BackupResult, BackupStatusPatch, StartedWork } from "./backup-request.ts";
import type { BackupRun } from "./backup-run.ts";
import { cancelOperations } from "./cancel-operations.ts";
import { deleteFailedSnapshots } from "./final-snapshots.ts";
import { finishRun } from "./finish-run.ts";
import { pollOnce } from "./first-poll.ts";
import { ItemAccount } from "./item-account.ts";
import { openPlugins } from "./open-plugins.ts";
import { type OpenedRun, openRun } from "./open-run.ts";
import type { RunFiles } from "./run-files.ts";
import { RunProgress } from "./run-progress.ts";
import { StartedWorkList } from "./started-work.ts";

const undoMs = 15_000;

/** One run of a backup: its parts, and the way through them. */
export class BackupSession {
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
    this.#account = new ItemAccount({ items: this.#items, ledger: files.ledger, log: files.log });
  }

  async run(outer: Scope): Promise<BackupResult> {
    const { cancel, clock, onEvent } = this.#ports;
    const scope: Scope = { signal: outer.signal, log: this.#files.log.logger };
    const writer = this.#statusWriter(scope);
    const saver = this.#startedSaver(scope);
    const started = new StartedWorkList((work) => saver.update(work));
    const progress = new RunProgress({ account: this.#account, clock, writer, onEvent });
    let failed: string | undefined;
    try {
      await this.#work(started, progress, scope);
      if (cancel?.aborted) throw cancel.reason;
    } catch (error) {
      outer.signal.throwIfAborted();
      failed = messageOf(error);
      scope.log.info("backup failed", { reason: failed });
    } finally {
      // Uploading takes its time; should the server end meanwhile, all that was started must be known.
      const saved = saver.flush(scope).catch((error: unknown) => {
        if (!scope.signal.aborted) scope.log.warn("cannot save what has been started", { error: messageOf(error) });
      });
      await Promise.all([saved, writer.stop()]);
    }
    progress.enter("upload");
    const { backup } = this.#request;
    const operations = this.#operations ?? started.operations;
    const { snapshots } = started;
    const state = { backup, failed, operations, snapshots, items: this.#items, account: this.#account, run: this.#run };
    const result = await finishRun({ ...state, files: this.#files, ports: this.#ports, writer }, outer);
    const ended = failed === undefined && result.phase === "Failed" ? await this.#undoLost(result, outer) : result;
    progress.enter("done");
    return ended;
  }

  /** A backup that could not be stored waits for nothing: what it has started is stopped. */
  async #undoLost(result: BackupResult, scope: Scope): Promise<BackupResult> {
    if (!result.operations.some(({ status }) => isRunning(status))) return result;
    await using plugins = await openPlugins(this.#ports.plugins, scope);
    const reason = result.status.failureReason ?? "the backup failed";
    const operations = await this.#undo(result.operations, plugins, reason, scope);
    const failed = operations.filter(({ status }) => status.phase === "Failed").length;
    return { ...result, operations, status: { ...result.status, backupItemOperationsFailed: failed } };
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

  /** The work itself goes on in a scope that also ends with the run's own failure and with its cancellation. */
  async #work(started: StartedWorkList, progress: RunProgress, scope: Scope): Promise<void> {
    const { cancel, clock } = this.#ports;
    const signals = [scope.signal, this.#stopping.signal, ...(cancel ? [cancel] : [])];
    const working: Scope = { ...scope, signal: AbortSignal.any(signals) };
    await using plugins = await openPlugins(this.#ports.plugins, working);
    try {
      const opened = await this.#open(plugins, started, progress, working);
      const { options = {}, backup } = this.#request;
      progress.enter("collect");
      await collectForRun(opened, options, working);
      working.log.info(`Collected ${this.#account.total} items matching the backup spec from the Kubernetes API`);
      progress.enter("items");
      await backUpBlocks(opened.run, options, working);
      await backUpDefinitions(this.#types, opened.run, working);
      progress.enter("operations");
      const actions = opened.run.actions.all.map(({ action }) => action);
      this.#operations = await pollOnce(started.operations, { backup, actions, now: clock.now() }, working);
    } catch (error) {
      scope.signal.throwIfAborted();
      const reason = this.#stopping.signal.aborted ? this.#stopping.signal.reason : error;
      this.#operations = await this.#undo(started.operations, plugins, messageOf(reason), scope);
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
      await this.#files.archive.writeItem(entry);
    } catch (error) {
      scope.signal.throwIfAborted();
      if (!hasCode(error, "InvalidArgument")) this.#stopping.abort(error);
      throw error;
    }
  }

  /** What a run that failed or was cancelled has started is stopped, and snapshots that were not complete are deleted. */
  async #undo(
    operations: readonly BackupOperation[],
    plugins: RunPlugins,
    reason: string,
    scope: Scope,
  ): Promise<readonly BackupOperation[]> {
    const { clock, snapshotLocations } = this.#ports;
    const { backup } = this.#request;
    const options = { backup, plugins, snapshotLocations, clock, reason };
    const ended = await cancelOperations(operations, options, scope);
    const deadline = { ms: undoMs, clock, what: "deleting snapshots" };
    await withDeadline(deadline, scope, (timed) => deleteFailedSnapshots(ended, options, timed)).catch(
      (error: unknown) => {
        scope.signal.throwIfAborted();
        scope.log.warn("Snapshots of the failed backup could not all be deleted", { error: messageOf(error) });
      },
    );
    return ended;
  }
}
