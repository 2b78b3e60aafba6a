import { veleroTypes } from "../../api/resource-types.ts";
import type { Schedule } from "../../api/resources.ts";
import { describeCommand } from "../resource/describe-command.ts";

export const scheduleDescribe = describeCommand<Schedule>({
  noun: "schedule",
  what: "schedules",
  type: veleroTypes.schedule,
  text: async (schedule, { world }) => {
    const { describeSchedule } = await import("../describe/schedule.ts");
    return describeSchedule(schedule, world.out);
  },
  json: async ({ metadata, spec, status }) => ({ metadata, spec, status }),
});
