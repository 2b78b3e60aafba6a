import { AppError, type Clock, messageOf, type Scope } from "@jibe/base";
import { copyTree, treeTotals } from "./copy-tree.ts";
import type { SnapshotFolder, SnapshotPhase, SnapshotState } from "./snapshot-folder.ts";

export interface CopyRequest {
  readonly folder: SnapshotFolder;
  /** The volume's folder, as this process sees it. */
  readonly source: string;
  readonly state: SnapshotState;
  readonly parallelFiles: number;
}

interface Job {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

const copiesAtOnce = 2;
const reportEveryMs = 1_000;
const canceled = new AppError("Unavailable", "the snapshot was canceled");

/**
 * The copies that this process is making, a few at a time. It outlives the runs that asked for them; disposing it stops the copies
 * and waits until each has written how it ended.
 */
export class SnapshotCopies implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #jobs = new Map<string, Job>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(request: CopyRequest, { log }: Pick<Scope, "log">): void {
    const stop = new AbortController();
    const { path } = request.folder;
    const ended = this.#run(request, stop, { signal: stop.signal, log }).finally(() => this.#jobs.delete(path));
    this.#jobs.set(path, { stop, ended });
  }

  /** Stops a copy, if this process makes it, and waits until it has ended. */
  async stop(folder: SnapshotFolder): Promise<void> {
    const job = this.#jobs.get(folder.path);
    job?.stop.abort(canceled);
    await job?.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const jobs = [...this.#jobs.values()];
    for (const { stop } of jobs) stop.abort(new Error("the server stopped while the snapshot was made"));
    await Promise.all(jobs.map(({ ended }) => ended));
  }

  async #run(request: CopyRequest, stop: AbortController, scope: Scope): Promise<void> {
    const report = new Report(request, this.#clock);
    try {
      await this.#whileReporting(request, { report, stop }, async () => {
        await this.#turn(scope);
        try {
          await this.#copy(request, report, scope);
        } finally {
          this.#running--;
          this.#waiting.shift()?.();
        }
      });
      await report.end("Completed");
      scope.log.info("volume snapshot completed", { snapshot: request.state.id, bytes: report.bytesDone });
    } catch (error) {
      await this.#fail(request, report, error, scope);
    }
  }

  async #copy({ folder, source, state, parallelFiles }: CopyRequest, report: Report, scope: Scope): Promise<void> {
    report.begin();
    report.bytesTotal = (await treeTotals(source, scope)).bytes;
    const onSkipped = (path: string) => {
      report.skipped++;
      scope.log.warn("left out of a volume snapshot: not a file, folder or link", { path, volume: state.volumeId });
    };
    const onBytes = (count: number) => {
      report.bytesDone += count;
    };
    await copyTree({ source, target: folder.partialContent, parallelFiles, onBytes, onSkipped }, scope);
    scope.signal.throwIfAborted();
    if (await folder.isCancelRequested()) throw canceled;
    await folder.publishContent();
  }

  async #whileReporting(
    { folder }: CopyRequest,
    { report, stop }: { readonly report: Report; readonly stop: AbortController },
    work: () => Promise<void>,
  ): Promise<void> {
    const working = new AbortController();
    const reporting = this.#keepReporting(folder, { report, stop, signal: working.signal });
    try {
      await work();
    } finally {
      working.abort();
      await reporting;
    }
  }

  /** Writes progress down and looks whether another process asked to cancel, until told to end. */
  async #keepReporting(
    folder: SnapshotFolder,
    { report, stop, signal }: { readonly report: Report; readonly stop: AbortController; readonly signal: AbortSignal },
  ): Promise<void> {
    while (true) {
      await this.#clock.sleep(reportEveryMs, { signal }).catch(() => {}); // told to end
      if (signal.aborted) return;
      if (await folder.isCancelRequested()) stop.abort(canceled);
      else await report.save().catch((error: unknown) => stop.abort(error));
    }
  }

  async #fail({ folder, state }: CopyRequest, report: Report, error: unknown, { log }: Scope): Promise<void> {
    const text = messageOf(error);
    log.warn("volume snapshot failed", { snapshot: state.id, volume: state.volumeId, error: text });
    try {
      await folder.dropPartialContent();
      if (await folder.state()) await report.end(error === canceled ? "Canceled" : "Failed", text);
    } catch (cause) {
      // Its owner will be gone or the disk full; either way it never looks complete.
      log.warn("could not record that a volume snapshot failed", { snapshot: state.id, error: messageOf(cause) });
    }
  }

  async #turn({ signal }: Scope): Promise<void> {
    signal.throwIfAborted();
    if (this.#running >= copiesAtOnce) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(resolve), 1);
        reject(signal.reason);
      };
      this.#waiting.push(resolve);
      signal.addEventListener("abort", leave, { once: true });
      await promise.finally(() => signal.removeEventListener("abort", leave));
    }
    this.#running++;
  }
}

/** How far a copy is, and the writing of it. */
class Report {
  bytesDone = 0;
  bytesTotal = 0;
  skipped = 0;
  readonly #request: CopyRequest;
  readonly #clock: Clock;
  #phase: SnapshotPhase = "New";
  #started: string | undefined;

  constructor(request: CopyRequest, clock: Clock) {
    this.#request = request;
    this.#clock = clock;
  }

  begin(): void {
    this.#phase = "InProgress";
    this.#started = this.#clock.now().toISOString();
  }

  async end(phase: SnapshotPhase, error?: string): Promise<void> {
    this.#phase = phase;
    await this.save(error);
  }

  async save(error?: string): Promise<void> {
    const { folder, state } = this.#request;
    await folder.save({
      ...state,
      phase: this.#phase,
      ...(error === undefined ? {} : { error }),
      ...(this.#started === undefined ? {} : { started: this.#started }),
      updated: this.#clock.now().toISOString(),
      bytesDone: this.bytesDone,
      // The volume may have changed since it was measured; more than everything is never done, nor less at the end.
      bytesTotal: this.#phase === "Completed" ? this.bytesDone : Math.max(this.bytesTotal, this.bytesDone),
      skipped: this.skipped,
    });
  }
}
