import type { KubernetesObject, OperationProgress } from "../contracts/index.ts";

/** A restore's output that holds the item until its additional items are ready; `timeoutMs` 0 means the server's limit. */
export function withItemsWait<Output extends object>(
  output: Output,
  { timeoutMs = 0 }: { readonly timeoutMs?: number } = {},
): Output & { readonly waitForAdditionalItems: true; readonly additionalItemsReadyTimeoutMs: number } {
  return { ...output, waitForAdditionalItems: true, additionalItemsReadyTimeoutMs: timeoutMs };
}

/** A restore's output that leaves the item out. */
export function withoutRestore<Item extends KubernetesObject>(
  item: Item,
): { readonly item: Item; readonly skipRestore: true } {
  return { item, skipRestore: true };
}

/** An output that started an operation. */
export function withOperation<Output extends object>(
  output: Output,
  operationId: string,
): Output & { readonly operationId: string } {
  return { ...output, operationId };
}

type Details = Omit<OperationProgress, "completed" | "error">;

/** The operation waits to start. */
export function operationPending(description?: string): OperationProgress {
  return { completed: false, ...(description !== undefined && { description }) };
}

/** The operation runs. Without `started` hosts take it for not started yet. */
export function operationRunning(details: Details & { readonly started: Date }): OperationProgress {
  return { ...details, completed: false };
}

/** The operation ended well. */
export function operationDone(details: Details = {}): OperationProgress {
  return { ...details, completed: true };
}

/** The operation ended, and why it failed. */
export function operationFailed(error: string, details: Details = {}): OperationProgress {
  return { ...details, completed: true, error: error === "" ? "operation failed" : error };
}
