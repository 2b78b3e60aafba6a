import { AppError, type Scope } from "@jibe/base";
import type { RestoreOperation } from "../operations/item-operation.ts";
import { OperationPoller } from "../operations/poll-operations.ts";
import type { RestoreAction } from "../ports/plugins.ts";
import type { RestorePorts, RestoreRequest } from "./restore-request.ts";

/** Asks once, right after the items, how the operations stand: many are done by then. */
export async function pollOnce(
  options: {
    readonly request: RestoreRequest;
    readonly ports: RestorePorts;
    readonly operations: readonly RestoreOperation[];
    readonly timeoutMs: number;
  },
  scope: Scope,
): Promise<{ readonly operations: readonly RestoreOperation[]; readonly errors: readonly string[] }> {
  const { request, ports, operations, timeoutMs } = options;
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
  const poller = new OperationPoller(operations, plugin, {
    clock: ports.clock,
    timeoutMs,
    frequencyMs: 10_000,
    limit: 8,
  });
  const { failures } = await poller.poll(scope);
  return { operations: poller.operations, errors: failures.map(({ message }) => message) };
}
