import { messageOf, parseGoDuration, retry, type Scope } from "@jibe/base";
import type { RestoreStatus } from "@jibe/plugin-sdk/contracts";
import { openPlugins } from "../backup/open-plugins.ts";
import { kubernetesTime } from "../layout/go-json.ts";
import { createLedger, type Ledger } from "../ledger/ledger.ts";
import type { RestoreOperation } from "../operations/item-operation.ts";
import { phaseAfterItems, tallyOf } from "../operations/next-phase.ts";
import { createStatusWriter } from "../progress/status-writer.ts";
import { createRunLog } from "../run-log/run-log.ts";
import { MadeVolumes } from "./made-volumes.ts";
import { type ContentsOptions, type RestoreYield, restoreContents } from "./restore-contents.ts";
import { uploadRestoreFiles } from "./restore-files.ts";
import { createRestoreHooks } from "./restore-hooks.ts";
import {
  defaultRestoreSettings,
  type RestorePorts,
  type RestoreRequest,
  type RestoreResult,
  type RestoreRunPorts,
} from "./restore-request.ts";
import { RestoredItems } from "./restored-items.ts";
import { type SettleOptions, settleOperations } from "./settle-operations.ts";
import { withoutZeros } from "./without-zeros.ts";

const defaultOperationTimeoutMs = 4 * 3_600_000;

/**
 * Restores a backup: plans, restores in waves, and writes the restore's files. Failed items are part of the result; the phase is `Failed`
 * only when the run could not begin or was canceled by the request. Being stopped from outside rejects with the signal's reason and leaves
 * what was done: running the same restore again recognises it and does the rest.
 */
export async function runRestore(request: RestoreRequest, ports: RestorePorts, scope: Scope): Promise<RestoreResult> {
  const { restore } = request;
  const settings = { ...defaultRestoreSettings, ...request.settings };
  const fields = { restore: `${restore.metadata.namespace}/${restore.metadata.name}` };
  await using runLog = await createRunLog(
    { scratch: ports.scratch, clock: ports.clock, fields, format: settings.logFormat, tee: scope.log },
    scope,
  );
  ports.onLog?.(runLog);
  await using ledger = await createLedger({ scratch: ports.scratch }, scope);
  const logged: Scope = { signal: scope.signal, log: runLog.logger };
  const maxWaitMs = operationTimeoutOf(request);
  const hooks = createRestoreHooks({ spec: restore.spec, ports, maxWaitMs }, scope);
  try {
    const made = new MadeVolumes(ports.store, restore);
    const left: RestoreYield = { items: new RestoredItems(), operations: [], volumes: [], made, isPlanned: false };
    const parts = { request, settings, ledger, itemLog: runLog.fileOnly, hooks, left };
    const { failureReason, operations } = await attemptSaving(parts, ports, { timeoutMs: maxWaitMs }, logged);
    logged.log.info("restore completed", { warnings: ledger.warnings, errors: ledger.errors });
    await uploadRestoreFiles({ name: restore.metadata.name, runLog, ledger, operations, left }, ports.store, scope);
    const status = statusOf({ failureReason, ledger, left, operations, now: ports.clock.now() });
    return { status, results: ledger.results(), operations, hooks };
  } catch (error) {
    await hooks[Symbol.asyncDispose]();
    throw error;
  }
}

interface Attempted {
  /** Set when the run failed as a whole. */
  readonly failureReason?: string;
  readonly operations: readonly RestoreOperation[];
}

/** Operations are kept as they are started. Before the run's own file is written the last of them are, and nothing writes beside it. */
async function attemptSaving(
  parts: Omit<ContentsOptions, "ports">,
  ports: RestorePorts,
  { timeoutMs }: { readonly timeoutMs: number },
  scope: Scope,
): Promise<Attempted> {
  const { saveOperations: patch = async () => {}, clock } = ports;
  const onError = (error: unknown) =>
    scope.log.warn("cannot save the operations of the restore", { error: messageOf(error) });
  const saver = createStatusWriter({ patch, clock, onError }, scope);
  const onOperation = (operations: readonly RestoreOperation[]) => saver.update(operations);
  const keep = (operations: readonly RestoreOperation[]) => {
    saver.update(operations);
    return retry(() => saver.flush(scope), { ...keepPolicy, clock }, scope);
  };
  const limits = { timeoutMs, keep };
  const attempted = await attempt(parts, { ...ports, onOperation }, limits, scope).finally(() => saver.stop());
  await saver.flush(scope).catch((error: unknown) => {
    scope.signal.throwIfAborted();
    onError(error);
  });
  return attempted;
}

/** The store has its own patience; this is for what it gives up on, because operations that are not kept have to be canceled. */
const keepPolicy = { attempts: 4, firstDelayMs: 1000, maxDelayMs: 4000, random: () => 0, when: () => true };

async function attempt(
  parts: Omit<ContentsOptions, "ports">,
  given: RestorePorts & Pick<RestoreRunPorts, "onOperation">,
  limits: Pick<SettleOptions, "timeoutMs" | "keep">,
  scope: Scope,
): Promise<Attempted> {
  const { request, ledger, left } = parts;
  const { cancel } = request;
  const inner = cancel ? { ...scope, signal: AbortSignal.any([scope.signal, cancel]) } : scope;
  let failureReason: string | undefined;
  const failed = (error: unknown) => {
    scope.signal.throwIfAborted();
    failureReason ??= messageOf(cancel?.aborted ? cancel.reason : error);
    scope.log.error("restore failed", { error: failureReason });
  };
  let operations: readonly RestoreOperation[] = left.operations;
  try {
    await using plugins = await openPlugins(given.plugins, scope);
    const ports = { ...given, plugins };
    await restoreContents({ ...parts, ports }, inner).catch(failed);
    const settled = await settleOperations({ request, ports, operations, ...limits, failureReason }, scope);
    for (const message of settled.errors) ledger.error({ message: `error from restore item operation: ${message}` });
    operations = settled.operations;
  } catch (error) {
    failed(error);
  }
  return { ...(failureReason === undefined ? {} : { failureReason }), operations };
}

function operationTimeoutOf({ restore }: RestoreRequest): number {
  const text = restore.spec.itemOperationTimeout;
  return text === undefined || text === ""
    ? defaultOperationTimeoutMs
    : parseGoDuration(text) || defaultOperationTimeoutMs;
}

function statusOf(run: {
  readonly failureReason?: string | undefined;
  readonly ledger: Ledger;
  readonly left: RestoreYield;
  readonly operations: readonly RestoreOperation[];
  readonly now: Date;
}): RestoreStatus {
  const { failureReason, ledger, left, operations, now } = run;
  const { running, completed, failed } = tallyOf(operations);
  const { warnings, errors } = ledger;
  const { counted } = left.items;
  return {
    ...(failureReason === undefined
      ? { phase: phaseAfterItems({ errors, running }) }
      : { phase: "Failed" as const, failureReason, completionTimestamp: kubernetesTime(now) }),
    ...(left.isPlanned ? { progress: withoutZeros({ totalItems: counted, itemsRestored: counted }) } : {}),
    ...withoutZeros({
      warnings,
      errors,
      restoreItemOperationsAttempted: operations.length,
      restoreItemOperationsCompleted: completed,
      restoreItemOperationsFailed: failed,
    }),
  };
}
