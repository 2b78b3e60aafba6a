import type { LogLine } from "@jibe/base";
import { describe, expect, test } from "vitest";
import { logLineReader } from "./log-line.ts";

const cases: Record<string, [line: string, want: LogLine]> = {
  "hclog's JSON": [
    '{"@level":"info","@message":"hello","@timestamp":"2026-01-02T03:04:05.123456Z","n":1}',
    { level: "info", message: "hello", fields: { n: 1 } },
  ],
  "a level in capitals": ['{"@level":"WARN","@message":"m"}', { level: "warn", message: "m", fields: {} }],
  "trace as debug": ['{"@level":"trace","@message":"m"}', { level: "debug", message: "m", fields: {} }],
  "an unknown level as it came": [
    '{"@level":"fatal","@message":"m"}',
    { level: "debug", message: '{"@level":"fatal","@message":"m"}', fields: {} },
  ],
  "a bad timestamp as plain text": [
    '{"@level":"info","@message":"m","@timestamp":"yesterday"}',
    { level: "debug", message: '{"@level":"info","@message":"m","@timestamp":"yesterday"}', fields: {} },
  ],
  "a message that is no text": ['{"@level":"info","@message":7}', { level: "info", message: "", fields: {} }],
  "broken JSON": ["{oops", { level: "debug", message: "{oops", fields: {} }],
  "a level in front": ["[ERROR] no disk", { level: "error", message: "no disk", fields: {} }],
  "plain text": ["just words", { level: "debug", message: "just words", fields: {} }],
};

describe("a plugin's lines", () => {
  for (const [name, [line, want]] of Object.entries(cases)) {
    test(`reads ${name}`, () => expect(logLineReader()(line)).toEqual(want));
  }

  test("are errors from the head of a Go panic on", () => {
    const read = logLineReader();
    const lines = ["before", "panic: index out of range", "", "goroutine 1 [running]:", "main.main()"];
    expect(lines.map((line) => read(line).level)).toEqual(["debug", "error", "error", "error", "error"]);
    expect(read('{"@level":"info","@message":"m"}').level).toBe("info");
  });
});
