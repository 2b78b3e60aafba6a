import { veleroTypes } from "../../api/resource-types.ts";
import type { BackupRepository } from "../../api/resources.ts";
import { goTime } from "../print/time.ts";
import { getCommand } from "../resource/get-command.ts";

export const repoGet = getCommand<BackupRepository>({
  noun: "repo",
  what: "backup repositories",
  type: veleroTypes.backupRepository,
  view: {
    header: ["NAME", "STATUS", "LAST MAINTENANCE"],
    row: ({ metadata, status }) => [
      metadata.name,
      status?.phase || "New",
      goTime(status?.lastMaintenanceTime, "<never>"),
    ],
  },
});
