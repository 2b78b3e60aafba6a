import { deleteRequestFor } from "../../api/delete-request.ts";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup } from "../../api/resources.ts";
import { deleteCommand } from "../resource/delete-command.ts";

export const backupDelete = deleteCommand<Backup>({
  noun: "backup",
  what: "backups",
  type: veleroTypes.backup,
  remove: async (backup, access, scope) => {
    await access.create(veleroTypes.deleteBackupRequest, deleteRequestFor(backup), scope);
    const { name } = backup.metadata;
    return `Request to delete backup "${name}" submitted successfully.\nThe backup will be fully deleted after all associated data (disk snapshots, backup files, restores) are removed.`;
  },
});
