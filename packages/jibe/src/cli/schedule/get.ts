import { veleroTypes } from "../../api/resource-types.ts";
import type { Schedule } from "../../api/resources.ts";
import { getCommand } from "../resource/get-command.ts";
import { scheduleTable } from "./schedule-table.ts";

export const scheduleGet = getCommand<Schedule>({
  noun: "schedule",
  what: "schedules",
  type: veleroTypes.schedule,
  view: scheduleTable,
});
