import type { Scope } from "@jibe/base";
import type { Restore, RestoreStatus } from "@jibe/plugin-sdk/contracts";
import { kubernetesTime, readGzippedJson } from "../layout/go-json.ts";
import { restoreKeys } from "../layout/object-keys.ts";
import { addToResults } from "../ledger/add-to-results.ts";
import { MessageCollector } from "../ledger/run-results.ts";
import type { RestoreOperation } from "../operations/item-operation.ts";
import { isFinalizing, phaseAfterFinalizing } from "../operations/next-phase.ts";
import { readBackupVolumes } from "./backup-volumes.ts";
import { patchProvisionedVolumes } from "./provisioned-volumes.ts";
import type { RestoreHooks } from "./restore-hooks.ts";
import { defaultRestoreSettings, type RestorePorts, type RestoreSettings } from "./restore-request.ts";
import { withoutZeros } from "./without-zeros.ts";

export interface FinalizeRequest {
  readonly restore: Restore;
  readonly settings?: Pick<RestoreSettings, "resourceTimeoutMs">;
  /** The hooks of the run; absent when another process ran it, and then nothing is known of them. */
  readonly hooks?: RestoreHooks;
}

export type FinalizePorts = Pick<RestorePorts, "cluster" | "store" | "clock">;

/**
 * The last step of a restore: volumes that were made anew get the labels and reclaim policy of the old ones, and hooks come to their end.
 * What is found on the way is added to the results. Gives the final status; the caller writes it. It may be run again after a failure.
 */
export async function finalizeRestore(
  request: FinalizeRequest,
  ports: FinalizePorts,
  scope: Scope,
): Promise<RestoreStatus> {
  const { restore, hooks } = request;
  const { status = {}, spec } = restore;
  const settings = request.settings ?? defaultRestoreSettings;
  const keys = restoreKeys(restore.metadata.name);
  const { infos } = await readBackupVolumes(ports.store, spec.backupName ?? "", scope);
  // A list of all items is worth reading only where volumes may have been made anew.
  const list = infos.length > 0 ? await readGzippedJson(ports.store, keys.resourceList, scope) : undefined;
  const resourceList = (list ?? {}) as Record<string, string[]>;
  const operations = ((await readGzippedJson(ports.store, keys.itemOperations, scope)) ??
    []) as unknown as RestoreOperation[];
  const errors = new MessageCollector();
  const volumes = { restore, infos, resourceList, operations, timeoutMs: settings.resourceTimeoutMs };
  for (const { namespace, message } of await patchProvisionedVolumes(volumes, ports, scope))
    errors.add(namespace, message);
  const hookResults = await hooks?.finish(scope);
  for (const { namespace, message } of hookResults?.errors ?? []) errors.add(namespace, message);
  const before = status.errors ?? 0;
  const found = { errors: errors.messages(), warnings: {} };
  const { errors: counted } = await addToResults(found, { store: ports.store, key: keys.results, status }, scope);
  const phase = isFinalizing(status.phase) ? status.phase : "Finalizing";
  return {
    phase: phaseAfterFinalizing(phase, { newErrors: Math.max(0, counted - before) }),
    completionTimestamp: kubernetesTime(ports.clock.now()),
    ...withoutZeros({ errors: counted }),
    ...(hookResults ? { hookStatus: withoutZeros({ ...hookResults.status }) } : {}),
  };
}
