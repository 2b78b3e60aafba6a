import { veleroTypes } from "../../api/resource-types.ts";
import type { BackupStorageLocation } from "../../api/resources.ts";
import { flag } from "../flags.ts";
import { getCommand } from "../resource/get-command.ts";
import { backupLocationTable } from "./backup-location-table.ts";

const ownFlags = { default: flag.boolean("Only show the default location") } as const;

export const backupLocationGet = getCommand<BackupStorageLocation, typeof ownFlags>({
  noun: "backup-location",
  what: "backup storage locations",
  type: veleroTypes.backupStorageLocation,
  view: backupLocationTable,
  flags: ownFlags,
  keep: ({ spec }, flags) => !flags.default || spec.default === true,
});
