import { expect, test } from "vitest";
import type { Backup, Schedule } from "../../api/resources.ts";
import { decideSchedule, type ScheduleDecision } from "./decide-schedule.ts";

const now = new Date("2026-01-02T03:10:00Z");
const schedule = (spec: Partial<Schedule["spec"]>, status: Schedule["status"] = {}): Schedule => ({
  apiVersion: "velero.io/v1",
  kind: "Schedule",
  metadata: { name: "nightly", creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: { template: {}, schedule: "0 3 * * *", ...spec },
  status,
});
const backup = (phase: NonNullable<Backup["status"]>["phase"]): Backup => ({
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name: "nightly-1" },
  spec: {},
  status: phase ? { phase } : {},
});

const cases: Record<
  string,
  { schedule: Schedule; backups?: Backup[]; skip?: boolean; want: Partial<ScheduleDecision> }
> = {
  "runs once its time has passed": { schedule: schedule({}), want: { kind: "run" } },
  "waits for its next time after a run": {
    schedule: schedule({}, { lastBackup: "2026-01-02T03:00:05Z" }),
    want: { kind: "wait", untilMs: Date.parse("2026-01-03T03:00:00Z") },
  },
  "makes one backup however many runs it missed": {
    schedule: schedule({}, { lastBackup: "2025-11-01T03:00:00Z" }),
    want: { kind: "run" },
  },
  "holds back while a backup of it runs": {
    schedule: schedule({}),
    backups: [backup("InProgress")],
    want: { kind: "busy" },
  },
  "does not hold back for one that is only queued": {
    schedule: schedule({}),
    backups: [backup("Queued")],
    want: { kind: "run" },
  },
  "skips the first run when it says so": {
    schedule: schedule({ skipImmediately: true }),
    want: { kind: "skip-first" },
  },
  "skips the first run when the server says so": { schedule: schedule({}), skip: true, want: { kind: "skip-first" } },
  "its own word counts more than the server's": {
    schedule: schedule({ skipImmediately: false }),
    skip: true,
    want: { kind: "run" },
  },
  "counts from the skipped time": {
    schedule: schedule({}, { lastSkipped: "2026-01-02T03:05:00Z" }),
    want: { kind: "wait", untilMs: Date.parse("2026-01-03T03:00:00Z") },
  },
  "tells what is wrong with its expression": { schedule: schedule({ schedule: "often" }), want: { kind: "invalid" } },
};
for (const [name, { schedule: given, backups = [], skip = false, want }] of Object.entries(cases)) {
  test(`a schedule ${name}`, () =>
    expect(decideSchedule({ schedule: given, backups, now, localZone: "UTC", skipImmediately: skip })).toMatchObject(
      want,
    ));
}
