import { fakeClock } from "@jibe/testkit";
import { expect, test } from "vitest";
import { serverLogger } from "./server-log.ts";

const written = (format: "text" | "json") => {
  const lines: string[] = [];
  const clock = fakeClock({ start: new Date("2026-03-01T12:00:00Z") });
  const log = serverLogger((text) => lines.push(text), { level: "warn", format, clock });
  log.info("not shown");
  log.warn("cannot do it", { backup: "daily", reason: 'it is "full"' });
  return lines;
};

test("the server's log is text of keys and values, from its level on", () => {
  expect(written("text")).toEqual([
    'time="2026-03-01T12:00:00Z" level=warning msg="cannot do it" backup=daily reason="it is \\"full\\""\n',
  ]);
});

test("the server's log is an object a line when JSON is asked for", () => {
  const [line = ""] = written("json");
  expect(JSON.parse(line)).toEqual({
    time: "2026-03-01T12:00:00Z",
    level: "warning",
    msg: "cannot do it",
    backup: "daily",
    reason: 'it is "full"',
  });
});

test("the server's log has a warning with the same reason once in ten minutes, and each time when all is shown", async () => {
  for (const [level, want] of [
    ["info", 3],
    ["debug", 5],
  ] as const) {
    const lines: string[] = [];
    const clock = fakeClock();
    const log = serverLogger((text) => lines.push(text), { level, format: "text", clock });
    for (const failures of [1, 2, 3]) log.warn("work failed", { failures, reason: "forbidden" });
    log.warn("work failed", { reason: "full" });
    await clock.advance(600_000);
    log.warn("work failed", { reason: "forbidden" });
    expect(lines).toHaveLength(want);
  }
});
