import { AppError, messageOf, type Scope } from "@jibe/base";
import type { RestoreOperation } from "../operations/item-operation.ts";
import { isRunning } from "../operations/judge-answer.ts";
import { OperationPoller } from "../operations/poll-operations.ts";
import type { RestoreAction } from "../ports/plugins.ts";
import type { RestoreRequest, RestoreRunPorts } from "./restore-request.ts";

export interface SettledOperations {
  readonly operations: readonly RestoreOperation[];
  /** Of operations that have failed by now. */
  readonly errors: readonly string[];
}

export interface SettleOptions {
  readonly request: RestoreRequest;
  readonly ports: RestoreRunPorts;
  readonly operations: readonly RestoreOperation[];
  readonly timeoutMs: number;
  /** Why the restore failed as a whole, if it did. */
  readonly failureReason: string | undefined;
  /** Stores the operations; whoever waits for them reads them from there. */
  readonly keep: (operations: readonly RestoreOperation[]) => Promise<void>;
}

/**
 * Asks once, right after the items, how the operations stand: many are done by then. Those of a restore that was canceled or
 * has failed are canceled, and so are those that cannot be stored: nobody will ask about them again.
 */
export async function settleOperations(options: SettleOptions, scope: Scope): Promise<SettledOperations> {
  const { request, ports, operations, timeoutMs, failureReason, keep } = options;
  if (operations.length === 0) return { operations, errors: [] };
  const actions = new Map((await ports.plugins.restoreActions(scope)).map((action) => [action.name, action]));
  const actionOf = ({ spec: { restoreItemAction: name } }: RestoreOperation): RestoreAction => {
    const action = actions.get(name);
    if (!action) throw new AppError("NotFound", `there is no restore item action ${name}`);
    return action;
  };
  const plugin = {
    progress: async (operation: RestoreOperation, inner: Scope) =>
      actionOf(operation).progress(operation.spec.operationID, request.restore, inner),
    cancel: async (operation: RestoreOperation, inner: Scope) =>
      actionOf(operation).cancel(operation.spec.operationID, request.restore, inner),
    pluginOf: ({ spec }: RestoreOperation) => spec.restoreItemAction,
  };
  const limits = { clock: ports.clock, timeoutMs, frequencyMs: 10_000, limit: 8 };
  const poller = new OperationPoller(operations, plugin, limits);
  const reason = request.cancel?.aborted
    ? "the restore was canceled"
    : failureReason && `the restore failed: ${failureReason}`;
  const failures = [...(reason ? await poller.cancelAll(reason, scope) : (await poller.poll(scope)).failures)];
  if (poller.operations.some(({ status }) => isRunning(status))) {
    await keep(poller.operations).catch(async (error: unknown) => {
      scope.signal.throwIfAborted();
      failures.push(...(await poller.cancelAll(`the operation cannot be recorded: ${messageOf(error)}`, scope)));
    });
  }
  return { operations: poller.operations, errors: failures.map(({ message }) => message) };
}
