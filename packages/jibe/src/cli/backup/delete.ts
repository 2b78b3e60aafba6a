import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup } from "../../api/resources.ts";
import { deleteCommand } from "../resource/delete-command.ts";

export const backupDelete = deleteCommand<Backup>({
  noun: "backup",
  what: "backups",
  type: veleroTypes.backup,
  remove: async (backup, access, scope) => {
    const { deleteRequestFor } = await import("../../api/delete-request.ts");
    await access.create(veleroTypes.deleteBackupRequest, deleteRequestFor(backup), scope);
    const { name } = backup.metadata;
    return `Request to delete backup "${name}" submitted successfully.\nThe backup will be fully deleted after all associated data (disk snapshots, backup files, restores) are removed.`;
  },
});
