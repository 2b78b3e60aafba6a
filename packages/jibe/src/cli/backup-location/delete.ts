import { labels } from "../../api/names.ts";
import { veleroTypes } from "../../api/resource-types.ts";
import type { BackupStorageLocation } from "../../api/resources.ts";
import { deleteCommand } from "../resource/delete-command.ts";

export const backupLocationDelete = deleteCommand<BackupStorageLocation>({
  noun: "backup-location",
  what: "backup storage locations",
  type: veleroTypes.backupStorageLocation,
  remove: async ({ metadata }, access, scope) => {
    await access.delete(veleroTypes.backupStorageLocation, metadata.name, scope);
    const told = [`Backup storage location "${metadata.name}" deleted successfully.`];
    const { labelValueFrom } = await import("@jibe/engine");
    const selector = `${labels.storageLocation}=${labelValueFrom(metadata.name)}`;
    for (const type of [veleroTypes.backup, veleroTypes.backupRepository]) {
      for (const own of await access.list(type, selector, scope)) {
        await access.delete(type, own.metadata.name, scope);
        told.push(`${type.kind} "${own.metadata.name}" deleted successfully; its data stays in the store.`);
      }
    }
    return told.join("\n");
  },
});
