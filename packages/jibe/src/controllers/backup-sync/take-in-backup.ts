import { AppError, hasCode, type Scope } from "@jibe/base";
import { backupKeys, type ObjectStore, readGzippedJson } from "@jibe/engine";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { annotations } from "../../api/names.ts";
import type { Backup, BackupStorageLocation } from "../../api/resources.ts";
import { readJson } from "../read-json.ts";
import type { Resources } from "../resources.ts";
import { importedBackup, importedPodVolumeBackup } from "./decide-sync.ts";

/** Whether a server died after it made a backup's resource and before all that belongs to it; nothing when there is no resource. */
export function isHalfTakenIn(backup: Backup | undefined, { metadata }: BackupStorageLocation): boolean | undefined {
  return (
    backup &&
    backup.spec.storageLocation === metadata.name &&
    backup.metadata.annotations?.[annotations.halfTakenIn] !== undefined
  );
}

/** Makes the resources of a backup that was found in a store: its own, and those of its pod volume backups. */
export async function takeInBackup(
  found: {
    readonly name: string;
    /** What an earlier attempt made. */
    readonly existing: Backup | undefined;
    readonly store: ObjectStore;
    readonly context: Parameters<typeof importedBackup>[1];
  },
  resources: { readonly backups: Resources<Backup>; readonly podVolumeBackups: Resources<KubernetesObject> },
  scope: Scope,
): Promise<void> {
  const { name, existing, store, context } = found;
  const stored = await readJson<Backup>(store, backupKeys(name).metadata, scope);
  if (stored?.kind !== "Backup" || !stored.apiVersion) return; // no complete backup lies there
  if (stored.metadata.name !== name)
    throw new AppError("DataLoss", `its metadata is that of backup ${JSON.stringify(stored.metadata.name)}`);
  const wanted = importedBackup(stored, context);
  if (!wanted) return;
  const volumes = await podVolumeBackupsIn(store, name, scope);
  const backup = existing ?? (await resources.backups.create(volumes.length > 0 ? marked(wanted) : wanted, scope));
  for (const volume of volumes) {
    const object = importedPodVolumeBackup(volume, backup, context.location);
    await resources.podVolumeBackups.create(object, scope).catch((error: unknown) => {
      if (!hasCode(error, "AlreadyExists")) throw error;
    });
  }
  if (volumes.length > 0)
    await resources.backups.patch(name, { metadata: { annotations: { [annotations.halfTakenIn]: null } } }, scope);
  scope.log.info("backup found in the store", { backup: name, location: context.location, volumes: volumes.length });
}

const marked = (backup: Backup): Backup => ({
  ...backup,
  metadata: { ...backup.metadata, annotations: { ...backup.metadata.annotations, [annotations.halfTakenIn]: "true" } },
});

async function podVolumeBackupsIn(store: ObjectStore, name: string, scope: Scope): Promise<KubernetesObject[]> {
  const list = (await readGzippedJson(store, backupKeys(name).podVolumeBackups, scope)) as unknown;
  return Array.isArray(list) ? (list as KubernetesObject[]) : [];
}
