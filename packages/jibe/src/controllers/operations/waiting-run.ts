import { type Clock, parseGoDuration, type Scope } from "@jibe/base";
import {
  groupResourceOf,
  isRunning,
  isWaiting,
  type ObjectStore,
  type OperationFailure,
  OperationPoller,
  phaseAfterPoll,
  putJson,
  readGzippedJson,
  tallyOf,
} from "@jibe/engine";
import type { Backup, Restore } from "../../api/resources.ts";
import { RunStopped } from "../active-runs.ts";
import { logCancel } from "../cancel/log-cancel.ts";
import type { ClaimedRun } from "../claimed-run.ts";
import { failedStatus } from "../failed-status.ts";
import type { ItemOperation, OperationsKind } from "./operations-kind.ts";
import { type LateError, recordLateErrors } from "./run-findings.ts";

export interface WaitingRunDeps {
  readonly clock: Clock;
  /** `--item-operation-sync-frequency`. */
  readonly frequencyMs: number;
  /** Questions open at once, over all operations of one run. */
  readonly limit: number;
  readonly onEnded?: (operation: { readonly plugin: string; readonly outcome: string }) => void;
}

const defaultTimeoutMs = 4 * 3_600_000;

interface Waiting<T extends Backup | Restore, O extends ItemOperation> {
  readonly kind: OperationsKind<T, O>;
  readonly deps: WaitingRunDeps;
  readonly object: T;
  readonly run: ClaimedRun<T>;
}

/** Reads a run's operations from its file. */
export async function loadWaitingRun<T extends Backup | Restore, O extends ItemOperation>(
  waiting: Waiting<T, O>,
  scope: Scope,
): Promise<WaitingRun<T, O>> {
  const { kind, object } = waiting;
  await using store = await kind.openStore(object, scope);
  const found = await readGzippedJson(store, kind.keys(object.metadata.name).itemOperations, scope);
  const run = new WaitingRun(waiting, (found ?? []) as unknown as readonly O[]);
  if (!found) run.noteLost();
  return run;
}

const keyOf = ({ spec }: ItemOperation) => JSON.stringify(spec);

/** One run that waits for its operations. */
export class WaitingRun<T extends Backup | Restore, O extends ItemOperation> {
  readonly #kind: OperationsKind<T, O>;
  readonly #deps: WaitingRunDeps;
  readonly #run: ClaimedRun<T>;
  readonly #poller: OperationPoller<O>;
  #object: T;
  #isSaved = true;
  #isLost = false;
  /** Errors that are not in the run's files yet. */
  #unrecorded: readonly LateError[] = [];

  readonly #interrupting = new AbortController();
  readonly #stopping = new AbortController();
  #underWay: Promise<unknown> = Promise.resolve();

  constructor({ kind, deps, object, run }: Waiting<T, O>, operations: readonly O[]) {
    this.#kind = kind;
    this.#deps = deps;
    this.#run = run;
    this.#object = object;
    const { clock, frequencyMs, limit } = deps;
    const timeoutMs = object.spec.itemOperationTimeout
      ? parseGoDuration(object.spec.itemOperationTimeout)
      : defaultTimeoutMs;
    this.#poller = new OperationPoller(operations, kind.pluginFor(object), { clock, timeoutMs, frequencyMs, limit });
  }

  get name(): string {
    return this.#object.metadata.name;
  }

  /** The file is missing. Where operations had been started that is an error: nobody can ask about them any more. */
  noteLost(): void {
    const { kind, type } = this.#kind;
    const counts = (this.#object.status ?? {}) as Readonly<Record<string, unknown>>;
    const started = counts[`${kind}ItemOperationsAttempted`];
    if (typeof started !== "number") return;
    this.#isLost = true;
    const message = `the file with the ${started} operations of the ${kind} is missing: how they ended is unknown`;
    const item = { resource: groupResourceOf(type), namespace: "", name: this.name, plugin: "" };
    this.#unrecorded = [{ ...item, message }];
  }

  /** Asks what is due; gives when to ask again, or nothing once the run has moved on. */
  async poll(object: T, scope: Scope): Promise<number | undefined> {
    const signal = AbortSignal.any([scope.signal, this.#interrupting.signal, this.#stopping.signal]);
    return this.#follow(this.#poll(object, { ...scope, signal }));
  }

  /** Ends a poll that is under way, so that the run can be canceled. */
  async interrupt(): Promise<void> {
    this.#interrupting.abort(new RunStopped("canceled"));
    await this.#underWay;
  }

  /** Ends whatever is under way; when it returns, nothing is written any more. */
  async stop(): Promise<void> {
    this.#stopping.abort(new RunStopped("canceled"));
    await this.#underWay;
  }

  #follow<R>(work: Promise<R>): Promise<R> {
    this.#underWay = work.catch(() => {}); // whoever asked for it hears of it
    return work;
  }

  async #poll(object: T, scope: Scope): Promise<number | undefined> {
    this.#object = object;
    const ran = this.#runningKeys();
    const { failures, hasChanged, nextInMs } = await this.#poller.poll(scope);
    this.#tellEnded(ran);
    this.#isSaved &&= !hasChanged;
    this.#note(failures);
    return this.#moveOn(nextInMs, scope);
  }

  /** Cancels what runs and ends the run as failed, for that reason. */
  async cancel(reason: string, object: T, scope: Scope): Promise<undefined> {
    const signal = AbortSignal.any([scope.signal, this.#stopping.signal]);
    return this.#follow(this.#cancel(reason, object, { ...scope, signal }));
  }

  async #cancel(reason: string, object: T, scope: Scope): Promise<undefined> {
    this.#object = object;
    const ran = this.#runningKeys();
    this.#note(await this.#poller.cancelAll(reason, scope));
    this.#tellEnded(ran);
    await using store = await this.#kind.openStore(object, scope);
    const settled = await this.#kind.afterCancel?.(object, this.#poller.operations, store, scope);
    const { kind, keys } = this.#kind;
    await logCancel(object, { kind, log: keys(this.name).log, store, clock: this.#deps.clock }, scope);
    const changes = await this.#writeFiles({ ...failedStatus(reason, this.#deps), ...settled }, scope);
    await this.#run.patchStatus(changes, scope);
  }

  /** Cancels what runs, as far as it is known, and moves the run on although its files cannot be written. */
  async abandon(status: object, scope: Scope): Promise<void> {
    const ran = this.#runningKeys();
    await this.#poller.cancelAll("the files of the run are gone", scope);
    this.#tellEnded(ran);
    await this.#run.patchStatus({ ...(ran.size > 0 ? this.#counts() : {}), ...status }, scope);
  }

  async cancelOnly(reason: string, scope: Scope): Promise<void> {
    if (this.#runningKeys().size === 0) return;
    await this.#poller.cancelAll(reason, scope);
    await using store = await this.#kind.openStore(this.#object, scope);
    await this.#kind.afterCancel?.(this.#object, this.#poller.operations, store, scope);
    await this.#write(store, scope);
  }

  running(): { readonly plugin: string; readonly since: Date }[] {
    const plugin = this.#kind.pluginFor(this.#object);
    return this.#poller.operations
      .filter(({ status }) => isRunning(status))
      .map((operation) => ({ plugin: plugin.pluginOf(operation), since: new Date(operation.status.created ?? 0) }));
  }

  #runningKeys(): ReadonlySet<string> {
    return new Set(this.#poller.operations.filter(({ status }) => isRunning(status)).map(keyOf));
  }

  #tellEnded(ran: ReadonlySet<string>): void {
    const plugin = this.#kind.pluginFor(this.#object);
    for (const operation of this.#poller.operations) {
      if (!ran.has(keyOf(operation)) || isRunning(operation.status)) continue;
      this.#deps.onEnded?.({ plugin: plugin.pluginOf(operation), outcome: operation.status.phase });
    }
  }

  async save(scope: Scope): Promise<void> {
    if (this.#isSaved || this.#stopping.signal.aborted) return;
    await using store = await this.#kind.openStore(this.#object, scope);
    await this.#write(store, scope);
  }

  async #moveOn(nextInMs: number | undefined, scope: Scope): Promise<number | undefined> {
    const { status } = this.#object;
    const phase = status?.phase;
    if (!isWaiting(phase)) return undefined;
    const { running, failed } = tallyOf(this.#poller.operations);
    // All failures, not only new ones: a server may have ended after it had saved one and before it could say so.
    const next = phaseAfterPoll(phase, { running, newFailures: failed + Number(this.#isLost) });
    const isMoving = next !== phase;
    const changes =
      isMoving || this.#unrecorded.length > 0
        ? await this.#writeFiles(isMoving ? { phase: next } : {}, scope)
        : this.#counts();
    const isNews = Object.entries(changes).some(
      ([key, value]) => (status as Record<string, unknown> | undefined)?.[key] !== value,
    );
    if (isNews) this.#object = await this.#run.patchStatus(changes, scope);
    return isMoving ? undefined : (nextInMs ?? this.#deps.frequencyMs);
  }

  /** Zeros are left out of the status. */
  #counts(): Record<string, number | undefined> {
    const { completed, failed } = tallyOf(this.#poller.operations);
    return {
      [`${this.#kind.kind}ItemOperationsCompleted`]: completed || undefined,
      [`${this.#kind.kind}ItemOperationsFailed`]: failed || undefined,
    };
  }

  #note(failures: readonly OperationFailure<O>[]): void {
    const late: LateError[] = [];
    for (const { operation, message } of failures) {
      const { Group, Resource, Namespace, Name } = operation.spec.resourceIdentifier;
      const plugin = this.#kind.pluginFor(this.#object).pluginOf(operation);
      const item = { resource: Group ? `${Resource}.${Group}` : Resource, namespace: Namespace, name: Name, plugin };
      late.push({ ...item, message: this.#kind.kind === "backup" ? `${message}, plugin: ${plugin}` : message });
    }
    this.#unrecorded = [...this.#unrecorded, ...late];
  }

  /** Brings the run's files up to date; gives what the status is to say. Whatever fails on the way is done again next time. */
  async #writeFiles(changes: Readonly<Record<string, unknown>>, scope: Scope): Promise<Record<string, unknown>> {
    const { name, namespace = "" } = this.#object.metadata;
    await using store = await this.#kind.openStore(this.#object, scope);
    const run = { [this.#kind.kind]: `${namespace}/${name}` };
    const { status = {} } = this.#object;
    const files = { store, keys: this.#kind.keys(name), clock: this.#deps.clock, run, status };
    const errors = await recordLateErrors(this.#unrecorded, files, scope);
    const whole = { ...this.#counts(), ...(errors > 0 ? { errors } : {}), ...changes };
    await this.#kind.storeObject?.({ ...this.#object, status: { ...this.#object.status, ...whole } }, store, scope);
    await this.#write(store, scope);
    this.#unrecorded = [];
    return whole;
  }

  async #write(store: ObjectStore, scope: Scope): Promise<void> {
    const { itemOperations } = this.#kind.keys(this.name);
    await putJson(store, itemOperations, this.#poller.operations, scope);
    this.#isSaved = true;
  }
}
