import { AppError } from "@jibe/base";
import { backupFromSchedule, nameStamp } from "../../api/backup-from-schedule.ts";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup, Schedule } from "../../api/resources.ts";
import { openClusterAccess } from "../cluster-access.ts";
import { command } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { flag } from "../flags.ts";
import { printInstead, printInsteadFlags } from "../print/print-instead.ts";
import { printWrapped } from "../print/wrap-text.ts";
import { waitFlags } from "../wait/wait-flags.ts";
import { backupTable } from "./backup-table.ts";
import { backupSpecFlags, backupSpecFrom } from "./spec-flags.ts";

export const backupCreate = command({
  usage: "backup create [NAME]",
  summary: "Create a backup",
  examples: [
    "jibe backup create shop --include-namespaces shop --wait",
    "jibe backup create everything --include-cluster-scoped-resources '*'",
    "jibe backup create --from-schedule nightly",
  ],
  flags: {
    ...backupSpecFlags,
    ...waitFlags,
    fromSchedule: flag.string("Create the backup from this schedule's template; other filters are ignored"),
    ...printInsteadFlags,
  },
  async run({ args, flags }, world, scope) {
    if (args.length > 1) throw new AppError("InvalidArgument", "a backup has one name");
    if (args.length === 0 && flags.fromSchedule === "") {
      throw new AppError("InvalidArgument", "a name is needed: jibe backup create NAME (or use --from-schedule)");
    }
    await using access = await openClusterAccess(flags, world, scope);
    const backup = await wantedBackup();
    if (await printInstead(backup, flags, backupTable, world)) return exitCode.ok;
    for (const location of backup.spec.storageLocation ? [backup.spec.storageLocation] : []) {
      await access.get(veleroTypes.backupStorageLocation, location, scope);
    }
    for (const location of backup.spec.volumeSnapshotLocations ?? []) {
      await access.get(veleroTypes.volumeSnapshotLocation, location, scope);
    }
    const made = await access.create(veleroTypes.backup, backup, scope);
    const { name } = made.metadata;
    world.out.line(`Backup request "${name}" submitted successfully.`);
    if (!flags.wait) {
      printWrapped(world.out, `Run \`jibe backup describe ${name}\` or \`jibe backup logs ${name}\` for more details.`);
      return exitCode.ok;
    }
    const { waitForEnd } = await import("../wait/wait-for-end.ts");
    return await waitForEnd({ kind: "backup", name }, { access, world, flags }, scope);

    async function wantedBackup(): Promise<Backup> {
      if (flags.fromSchedule !== "") {
        const schedule = await access.get<Schedule>(veleroTypes.schedule, flags.fromSchedule, scope);
        const made = backupFromSchedule(
          schedule,
          args[0] ?? `${flags.fromSchedule}-${nameStamp(world.clock.now(), "UTC")}`,
        );
        return { ...made, metadata: { ...made.metadata, namespace: access.namespace } };
      }
      return {
        apiVersion: "velero.io/v1",
        kind: "Backup",
        metadata: {
          name: args[0] ?? "",
          namespace: access.namespace,
          ...(Object.keys(flags.labels).length > 0 ? { labels: { ...flags.labels } } : {}),
          ...(Object.keys(flags.annotations).length > 0 ? { annotations: { ...flags.annotations } } : {}),
        },
        spec: await backupSpecFrom(flags),
      };
    }
  },
});
