import { veleroTypes } from "../../api/resource-types.ts";
import type { Restore } from "../../api/resources.ts";
import { deleteCommand } from "../resource/delete-command.ts";

export const restoreDelete = deleteCommand<Restore>({
  noun: "restore",
  what: "restores",
  type: veleroTypes.restore,
  remove: async ({ metadata }, access, scope) => {
    await access.delete(veleroTypes.restore, metadata.name, scope);
    return `Request to delete restore "${metadata.name}" submitted successfully.\nThe restore will be fully deleted after all associated data (restore files in object storage) are removed.`;
  },
});
