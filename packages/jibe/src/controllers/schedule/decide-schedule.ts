import { messageOf } from "@jibe/base";
import { type CronSchedule, parseCron } from "../../api/cron.ts";
import type { Backup, Schedule } from "../../api/resources.ts";
import { timeMs } from "../../api/time.ts";

export type ScheduleDecision =
  | { readonly kind: "invalid"; readonly errors: readonly string[] }
  /** Take `skipImmediately` as done: remember the time, ask no more. */
  | { readonly kind: "skip-first" }
  | { readonly kind: "run" }
  /** A backup of the schedule is still under way. */
  | { readonly kind: "busy" }
  | { readonly kind: "wait"; readonly untilMs: number }
  /** The expression never comes due again. */
  | { readonly kind: "never" };

export interface ScheduleFacts {
  readonly schedule: Schedule;
  readonly backups: readonly Backup[];
  readonly now: Date;
  readonly localZone: string;
  /** The server's default for schedules that say nothing. */
  readonly skipImmediately: boolean;
}

const underWay: ReadonlySet<string | undefined> = new Set([undefined, "", "New", "InProgress"]);

/** What a schedule calls for now. Missed runs are not caught up one by one: one backup is made, then the next time counts. */
export function decideSchedule({
  schedule,
  backups,
  now,
  localZone,
  skipImmediately,
}: ScheduleFacts): ScheduleDecision {
  let cron: CronSchedule;
  try {
    if (!schedule.spec.schedule)
      return { kind: "invalid", errors: ["Schedule must be a non-empty valid Cron expression"] };
    cron = parseCron(schedule.spec.schedule, localZone);
  } catch (error) {
    return { kind: "invalid", errors: [messageOf(error)] };
  }
  if (schedule.spec.skipImmediately ?? skipImmediately) return { kind: "skip-first" };
  const { lastBackup, lastSkipped } = schedule.status ?? {};
  const base = timeMs(lastBackup) ?? timeMs(schedule.metadata.creationTimestamp) ?? now.getTime();
  const next = cron.next(new Date(Math.max(base, timeMs(lastSkipped) ?? 0)));
  if (!next) return { kind: "never" };
  if (now <= next) return { kind: "wait", untilMs: next.getTime() };
  return backups.some(({ status }) => underWay.has(status?.phase)) ? { kind: "busy" } : { kind: "run" };
}

/** The seconds between two runs, for the metric of that name. */
export function expectedIntervalSeconds(schedule: Schedule, now: Date, localZone: string): number | undefined {
  const cron = parseCron(schedule.spec.schedule, localZone);
  const first = cron.next(now);
  const second = first && cron.next(first);
  return second ? (second.getTime() - first.getTime()) / 1000 : undefined;
}
