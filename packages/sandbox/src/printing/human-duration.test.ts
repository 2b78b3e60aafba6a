import { expect, test } from "vitest";
import { humanDuration } from "./human-duration.ts";

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

const cases: [number, string][] = [
  [-2 * second, "<invalid>"],
  [-1 * second, "0s"],
  [0, "0s"],
  [119 * second, "119s"],
  [2 * minute, "2m"],
  [3 * minute + 20 * second, "3m20s"],
  [10 * minute + 5 * second, "10m"],
  [179 * minute, "179m"],
  [3 * hour, "3h"],
  [3 * hour + 5 * minute, "3h5m"],
  [8 * hour + 5 * minute, "8h"],
  [47 * hour, "47h"],
  [48 * hour, "2d"],
  [2 * day + 3 * hour, "2d3h"],
  [8 * day + 3 * hour, "8d"],
  [400 * day, "400d"],
  [730 * day, "2y"],
  [765 * day, "2y35d"],
  [3000 * day, "8y"],
];

for (const [ms, text] of cases)
  test(`humanDuration of ${ms} ms is ${text}`, () => expect(humanDuration(ms)).toBe(text));
