import { veleroTypes } from "../../api/resource-types.ts";
import type { Schedule } from "../../api/resources.ts";
import { deleteCommand } from "../resource/delete-command.ts";

export const scheduleDelete = deleteCommand<Schedule>({
  noun: "schedule",
  what: "schedules",
  type: veleroTypes.schedule,
  remove: async ({ metadata }, access, scope) => {
    await access.delete(veleroTypes.schedule, metadata.name, scope);
    return `Schedule deleted: ${metadata.name}`;
  },
});
