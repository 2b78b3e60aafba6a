import { type Clock, hasCode } from "@jibe/base";
import { labelValueFrom } from "@jibe/engine";
import { backupFromSchedule, nameStamp } from "../../api/backup-from-schedule.ts";
import { labels } from "../../api/names.ts";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup, Schedule } from "../../api/resources.ts";
import { timestamp } from "../../api/time.ts";
import { type Controller, done } from "../controller.ts";
import type { Resources } from "../resources.ts";
import { decideSchedule, expectedIntervalSeconds } from "./decide-schedule.ts";

const busyRecheckMs = 60_000;

/** Makes a backup whenever a schedule comes due. */
export function scheduleController({
  schedules,
  backups,
  clock,
  localZone,
  skipImmediately,
  onKnown,
  onGone,
}: {
  readonly schedules: Resources<Schedule>;
  readonly backups: Resources<Backup>;
  readonly clock: Clock;
  readonly localZone: string;
  readonly skipImmediately: boolean;
  /** Told of each schedule that is in force, with the seconds between its runs. */
  readonly onKnown?: (name: string, intervalSeconds: number | undefined) => void;
  readonly onGone?: (name: string) => void;
}): Controller {
  return {
    name: "schedule",
    type: veleroTypes.schedule,
    resyncMs: 60_000,
    reconcile: async (name, scope) => {
      const schedule = await schedules.find(name, scope);
      if (!schedule) onGone?.(name);
      if (!schedule || schedule.spec.paused || schedule.metadata.deletionTimestamp) return done;
      const now = clock.now();
      const labelSelector = `${labels.scheduleName}=${labelValueFrom(name)}`;
      const facts = {
        schedule,
        backups: await backups.list({ labelSelector }, scope),
        now,
        localZone,
        skipImmediately,
      };
      const decision = decideSchedule(facts);
      const errors = decision.kind === "invalid" ? decision.errors : undefined;
      const phase = errors ? "FailedValidation" : "Enabled";
      // What the server's flag says counts when a schedule is first seen, not when the server is started again.
      const isUndecided = (schedule.spec.skipImmediately ?? undefined) === undefined;
      if (
        isUndecided ||
        schedule.status?.phase !== phase ||
        JSON.stringify(schedule.status.validationErrors) !== JSON.stringify(errors)
      ) {
        const spec = isUndecided ? { spec: { skipImmediately } } : {};
        await schedules.patch(name, { ...spec, status: { phase, validationErrors: errors ?? null } }, scope);
      }
      if (!errors) onKnown?.(name, expectedIntervalSeconds(schedule, now, localZone));
      switch (decision.kind) {
        case "skip-first":
          await schedules.patch(
            name,
            { spec: { skipImmediately: false }, status: { lastSkipped: timestamp(now) } },
            scope,
          );
          return done;
        case "run": {
          const backup = backupFromSchedule(schedule, `${name}-${nameStamp(now, localZone)}`);
          try {
            await backups.create(backup, scope);
            scope.log.info("backup created by its schedule", { backup: backup.metadata.name });
          } catch (error) {
            if (!hasCode(error, "AlreadyExists")) throw error; // made just before a restart
          }
          await schedules.patch(name, { status: { lastBackup: timestamp(now) } }, scope);
          return { requeueAfterMs: 1000 };
        }
        case "wait":
          return { requeueAfterMs: Math.max(0, decision.untilMs - now.getTime()) + 1000 };
        case "busy":
          return { requeueAfterMs: busyRecheckMs };
        default:
          return done;
      }
    },
  };
}
