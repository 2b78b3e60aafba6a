import { messageOf, parseGoDuration, type Scope } from "@jibe/base";
import type { RestoreStatus } from "@jibe/plugin-sdk/contracts";
import { kubernetesTime } from "../layout/go-json.ts";
import { createLedger, type Ledger } from "../ledger/ledger.ts";
import type { RestoreOperation } from "../operations/item-operation.ts";
import { phaseAfterItems, tallyOf } from "../operations/next-phase.ts";
import { createRunLog } from "../run-log/run-log.ts";
import { pollOnce } from "./poll-once.ts";
import { type ContentsOptions, restoreContents } from "./restore-contents.ts";
import { uploadRestoreFiles } from "./restore-files.ts";
import { createRestoreHooks } from "./restore-hooks.ts";
import {
  defaultRestoreSettings,
  type RestorePorts,
  type RestoreRequest,
  type RestoreResult,
} from "./restore-request.ts";
import { RestoredItems } from "./restored-items.ts";
import type { RestoredVolume } from "./volume-rules.ts";

const defaultOperationTimeoutMs = 4 * 3_600_000;

/** What the items of a run leave behind. */
export interface RestoreYield {
  readonly items: RestoredItems;
  readonly operations: RestoreOperation[];
  readonly volumes: RestoredVolume[];
}

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
  await using ledger = await createLedger({ scratch: ports.scratch }, scope);
  const logged: Scope = { signal: scope.signal, log: runLog.logger };
  const maxWaitMs = operationTimeoutOf(request);
  const hooks = createRestoreHooks({ spec: restore.spec, ports, maxWaitMs }, scope);
  try {
    const left: RestoreYield = { items: new RestoredItems(), operations: [], volumes: [] };
    const failureReason = await attempt({ request, settings, ports, ledger, hooks, left }, logged);
    const polled = await pollOnce({ request, ports, operations: left.operations, timeoutMs: maxWaitMs }, logged);
    for (const message of polled.errors) ledger.error({ message: `error from restore item operation: ${message}` });
    logged.log.info("restore completed", { warnings: ledger.warnings, errors: ledger.errors });
    const files = { name: restore.metadata.name, runLog, ledger, operations: polled.operations, left };
    await uploadRestoreFiles(files, ports.store, scope);
    const status = statusOf({ failureReason, ledger, left, operations: polled.operations, now: ports.clock.now() });
    return { status, results: ledger.results(), operations: polled.operations, hooks };
  } catch (error) {
    await hooks[Symbol.asyncDispose]();
    throw error;
  }
}

/** Gives the reason when the run failed as a whole. */
async function attempt(parts: ContentsOptions, scope: Scope): Promise<string | undefined> {
  const { cancel } = parts.request;
  const inner = cancel ? { ...scope, signal: AbortSignal.any([scope.signal, cancel]) } : scope;
  try {
    await restoreContents(parts, inner);
    return undefined;
  } catch (error) {
    scope.signal.throwIfAborted();
    const reason = cancel?.aborted ? "the restore was canceled on request" : messageOf(error);
    scope.log.error("restore failed", { error: reason });
    return reason;
  }
}

function operationTimeoutOf({ restore }: RestoreRequest): number {
  const text = restore.spec.itemOperationTimeout;
  return text === undefined || text === ""
    ? defaultOperationTimeoutMs
    : parseGoDuration(text) || defaultOperationTimeoutMs;
}

function statusOf(run: {
  readonly failureReason: string | undefined;
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
    warnings,
    errors,
    progress: { totalItems: counted, itemsRestored: counted },
    restoreItemOperationsAttempted: operations.length,
    restoreItemOperationsCompleted: completed,
    restoreItemOperationsFailed: failed,
  };
}
