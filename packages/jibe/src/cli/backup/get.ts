import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup } from "../../api/resources.ts";
import { getCommand } from "../resource/get-command.ts";
import { backupTable } from "./backup-table.ts";

export const backupGet = getCommand<Backup>({
  noun: "backup",
  what: "backups",
  type: veleroTypes.backup,
  view: backupTable,
});
