import { type Clock, mapConcurrent, messageOf, type Scope, withDeadline } from "@jibe/base";
import type { Backup } from "@jibe/plugin-sdk/contracts";
import type { BackupOperation } from "../operations/item-operation.ts";
import type { RunPlugins, Snapshotter } from "../ports/plugins.ts";
import type { SnapshotLocation } from "../volumes/take-snapshot.ts";

export interface CancelOptions {
  readonly backup: Backup;
  readonly plugins: RunPlugins;
  readonly snapshotLocations: readonly SnapshotLocation[];
  readonly clock: Clock;
  readonly reason: string;
  /** Time for all plugins to answer, however many operations there are. */
  readonly timeoutMs?: number;
}

const cancelsAtOnce = 16;

/** Cancels the operations that still run, each through its plugin, all in bounded time, and marks them failed with the reason. */
export async function cancelOperations(
  operations: readonly BackupOperation[],
  options: CancelOptions,
  scope: Scope,
): Promise<BackupOperation[]> {
  const { clock, reason, timeoutMs = 20_000 } = options;
  const endMs = clock.monotonicMs() + timeoutMs;
  const each = async (operation: BackupOperation, inner: Scope): Promise<BackupOperation> => {
    if (operation.status.phase === "Completed" || operation.status.phase === "Failed") return operation;
    const { backupItemAction: plugin, operationID } = operation.spec;
    const what = `canceling operation ${operationID} of ${plugin}`;
    const ms = Math.max(0, endMs - clock.monotonicMs());
    await withDeadline({ ms, clock, what }, inner, (timed) => cancel(operation, options, timed)).catch(
      (error: unknown) => {
        inner.signal.throwIfAborted();
        inner.log.error("Error canceling operation", { plugin, operationID, error: messageOf(error) });
      },
    );
    return { ...operation, status: { ...operation.status, phase: "Failed", error: reason } };
  };
  return Array.fromAsync(mapConcurrent(operations, { limit: cancelsAtOnce, each, ordered: true }, scope));
}

async function cancel({ spec }: BackupOperation, options: CancelOptions, scope: Scope): Promise<void> {
  if (spec.volumeSnapshotLocation !== undefined) {
    const snapshotter = await snapshotterAt(spec.volumeSnapshotLocation, options, scope);
    await snapshotter?.cancel(spec.operationID, scope);
    return;
  }
  const actions = await options.plugins.backupActions(scope);
  await actions.find(({ name }) => name === spec.backupItemAction)?.cancel(spec.operationID, options.backup, scope);
}

/** The snapshotter of a location, initialised; `undefined` when the location is gone. */
export async function snapshotterAt(
  location: string,
  { plugins, snapshotLocations }: Pick<CancelOptions, "plugins" | "snapshotLocations">,
  scope: Scope,
): Promise<Snapshotter | undefined> {
  const found = snapshotLocations.find(({ name }) => name === location);
  if (!found) return undefined;
  const snapshotter = await plugins.snapshotter(found.provider, scope);
  await snapshotter.init(found.config, scope);
  return snapshotter;
}
