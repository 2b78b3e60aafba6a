import { expect, test } from "vitest";
import { formatGoDuration, parseGoDuration } from "./go-duration.ts";

const pairs: Record<string, number> = {
  "720h0m0s": 2_592_000_000,
  "4h0m0s": 14_400_000,
  "1m30s": 90_000,
  "1.5s": 1500,
  "250ms": 250,
  "2µs": 0.002,
  "-10s": -10_000,
  "0s": 0,
};
for (const [text, ms] of Object.entries(pairs)) {
  test(`${text} reads as ${ms} ms`, () => expect(parseGoDuration(text)).toBe(ms));
  test(`${ms} ms writes as ${text}`, () => expect(formatGoDuration(ms)).toBe(text));
}

test("short forms are read too", () => {
  expect(["1h", "10m", "1.5h", ".5s", "+3s", "0"].map(parseGoDuration)).toEqual([
    3_600_000, 600_000, 5_400_000, 500, 3000, 0,
  ]);
});

for (const bad of ["", "10", "1d", "h", "1h-2m", "five", "1 h"]) {
  test(`${JSON.stringify(bad)} is refused with the way to write it`, () =>
    expect(() => parseGoDuration(bad)).toThrow(/invalid duration .* write it like/));
}
