import { type Scope, silentLogger } from "@jibe/base";
import type {
  Backup,
  BackupItemActionV1,
  KubernetesObject,
  Restore,
  RestoreItemActionOutput,
  RestoreItemActionV1,
  RestoreSpec,
} from "@jibe/plugin-sdk/contracts";

export const scope: Scope = { signal: new AbortController().signal, log: silentLogger };

export const backupNamed = (name: string, spec: Backup["spec"] = {}): Backup => ({
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name, namespace: "velero" },
  spec,
});

export const restoreWith = (spec: RestoreSpec): Restore => ({
  apiVersion: "velero.io/v1",
  kind: "Restore",
  metadata: { name: "restore", namespace: "velero" },
  spec,
});

/** Runs a backup action on an item, and fails if it changed the item in place. */
export async function onBackup(action: BackupItemActionV1, item: KubernetesObject, backup = backupNamed("daily")) {
  return unharmed(item, () => action.execute(item, backup, scope));
}

/** Runs a restore action on an item, and fails if it changed the item in place. */
export async function onRestore(
  action: RestoreItemActionV1,
  item: KubernetesObject,
  { spec = {}, fromBackup = item }: { readonly spec?: RestoreSpec; readonly fromBackup?: KubernetesObject } = {},
): Promise<RestoreItemActionOutput> {
  const input = { item, itemFromBackup: fromBackup, restore: restoreWith(spec) };
  return unharmed(item, () => action.execute(input, scope));
}

async function unharmed<T>(item: KubernetesObject, work: () => Promise<T>): Promise<T> {
  const before = JSON.stringify(item);
  const result = await work();
  if (JSON.stringify(item) !== before) throw new Error("the action changed the item that it was given");
  return result;
}
