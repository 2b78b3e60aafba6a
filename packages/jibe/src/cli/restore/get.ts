import { veleroTypes } from "../../api/resource-types.ts";
import type { Restore } from "../../api/resources.ts";
import { getCommand } from "../resource/get-command.ts";
import { restoreTable } from "./restore-table.ts";

export const restoreGet = getCommand<Restore>({
  noun: "restore",
  what: "restores",
  type: veleroTypes.restore,
  view: restoreTable,
});
