import { expect, test } from "vitest";
import { parseCron } from "./cron.ts";

const next = (spec: string, from: string, zone = "UTC") => parseCron(spec, zone).next(new Date(from))?.toISOString();

const cases: Record<string, readonly [spec: string, from: string, want: string, zone?: string]> = {
  "every minute": ["* * * * *", "2026-01-02T03:04:05Z", "2026-01-02T03:05:00.000Z"],
  "strictly after the given time": ["5 3 * * *", "2026-01-02T03:05:00Z", "2026-01-03T03:05:00.000Z"],
  "a step from a number runs to the end": ["5/15 * * * *", "2026-01-02T03:21:00Z", "2026-01-02T03:35:00.000Z"],
  "a range with step": ["0 8-18/5 * * *", "2026-01-02T13:00:00Z", "2026-01-02T18:00:00.000Z"],
  "names of months and days": ["0 0 * feb mon", "2026-01-15T00:00:00Z", "2026-02-02T00:00:00.000Z"],
  "day of month or day of week when both are given": ["0 0 13 * 5", "2026-01-10T00:00:00Z", "2026-01-13T00:00:00.000Z"],
  "weekly descriptor": ["@weekly", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00.000Z"],
  "every duration": ["@every 1h30m", "2026-01-01T00:00:00Z", "2026-01-01T01:30:00.000Z"],
  "its own zone": ["CRON_TZ=Europe/Berlin 0 2 * * *", "2026-07-01T00:30:00Z", "2026-07-02T00:00:00.000Z"],
  "the server's zone": ["0 2 * * *", "2026-07-01T00:30:00Z", "2026-07-02T00:00:00.000Z", "Europe/Berlin"],
  "the last day of February in a leap year": ["0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00.000Z"],
};
for (const [name, [spec, from, want, zone]] of Object.entries(cases)) {
  test(`cron: ${name}`, () => expect(next(spec, from, zone)).toBe(want));
}

test("a date that never comes gives nothing", () => expect(next("0 0 30 2 *", "2026-01-01T00:00:00Z")).toBeUndefined());

const bad: Record<string, RegExp> = {
  "": /empty/,
  "* * * *": /expected exactly 5 fields, found 4/,
  "* * * * * *": /found 6/,
  "61 * * * *": /minute 61 is above 59/,
  "* * * * 7": /day of week 7 is above 6/,
  "* * 0 * *": /day of month 0 is below 1/,
  "x * * * *": /failed to parse number/,
  "5-1 * * * *": /beyond end of range/,
  "*/0 * * * *": /positive number/,
  "@sometimes": /unrecognized descriptor/,
  "@every soon": /failed to parse duration/,
  "CRON_TZ=Mars/Base 0 0 * * *": /bad location/,
};
for (const [spec, want] of Object.entries(bad)) {
  test(`cron refuses ${JSON.stringify(spec)}`, () => expect(() => parseCron(spec, "UTC")).toThrow(want));
}
