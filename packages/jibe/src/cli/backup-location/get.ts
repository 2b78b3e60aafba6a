import { veleroTypes } from "../../api/resource-types.ts";
import type { BackupStorageLocation } from "../../api/resources.ts";
import { getCommand } from "../resource/get-command.ts";
import { backupLocationTable } from "./backup-location-table.ts";

export const backupLocationGet = getCommand<BackupStorageLocation>({
  noun: "backup-location",
  what: "backup storage locations",
  type: veleroTypes.backupStorageLocation,
  view: backupLocationTable,
});
