import { AppError } from "@jibe/base";
import { parseCron } from "../../api/cron.ts";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Schedule } from "../../api/resources.ts";
import { backupSpecFlags, backupSpecFrom } from "../backup/spec-flags.ts";
import { openClusterAccess } from "../cluster-access.ts";
import { command } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { flag } from "../flags.ts";
import { printInstead, printInsteadFlags } from "../print/print-instead.ts";
import { scheduleTable } from "./schedule-table.ts";

export const scheduleCreate = command({
  usage: "schedule create NAME --schedule CRON",
  summary: "Create a schedule",
  description:
    "Create a schedule: a backup whenever its cron expression comes due. Times are the server's unless the expression begins with CRON_TZ=ZONE.",
  examples: [
    'jibe schedule create nightly --schedule="0 2 * * *" --include-namespaces shop',
    'jibe create schedule hourly --schedule="@every 1h"',
  ],
  flags: {
    ...backupSpecFlags,
    schedule: flag.string("Cron expression that says when to back up"),
    useOwnerReferencesInBackup: flag.optionalBoolean("Delete the backups together with the schedule"),
    paused: flag.boolean("Create it paused"),
    skipImmediately: flag.optionalBoolean("Wait for the next time instead of running at once"),
    ...printInsteadFlags,
  },
  async run({ args, flags }, world, scope) {
    const [name, ...more] = args;
    if (!name || more.length > 0)
      throw new AppError("InvalidArgument", "one name is needed: jibe schedule create NAME --schedule CRON");
    if (flags.schedule === "") throw new AppError("InvalidArgument", "--schedule is required");
    parseCron(flags.schedule, "UTC"); // the server would refuse it later, when nobody looks
    await using access = await openClusterAccess(flags, world, scope);
    const schedule: Schedule = {
      apiVersion: "velero.io/v1",
      kind: "Schedule",
      metadata: {
        name,
        namespace: access.namespace,
        ...(Object.keys(flags.labels).length > 0 ? { labels: { ...flags.labels } } : {}),
      },
      spec: {
        template: await backupSpecFrom(flags),
        schedule: flags.schedule,
        ...(flags.useOwnerReferencesInBackup === undefined
          ? {}
          : { useOwnerReferencesInBackup: flags.useOwnerReferencesInBackup }),
        ...(flags.paused ? { paused: true } : {}),
        ...(flags.skipImmediately === undefined ? {} : { skipImmediately: flags.skipImmediately }),
      },
    };
    if (await printInstead(schedule, flags, scheduleTable, world)) return exitCode.ok;
    await access.create(veleroTypes.schedule, schedule, scope);
    world.out.line(`Schedule "${name}" created successfully.`);
    return exitCode.ok;
  },
});
