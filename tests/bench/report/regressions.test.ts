import { expect, test } from "vitest";
import type { Ratio } from "./ratios.ts";
import { baselineOf, bestOfBoth, regressions } from "./regressions.ts";

const ratio = (what: string, value: number, isChecked = true): Ratio => ({
  what,
  part: "backup-2000",
  value,
  isChecked,
});

test("a halving is a regression, whatever is halved", () => {
  for (const before of [0.3, 1, 2.2, 20]) {
    const found = regressions([ratio("restore", before / 2)], { restore: before });
    expect(found).toEqual([{ what: "restore", before, now: before / 2 }]);
  }
});

test("a third less is what a busy machine does, and passes", () => {
  expect(regressions([ratio("restore", 2 * (2 / 3))], { restore: 2 })).toEqual([]);
  expect(regressions([ratio("restore", 10)], { restore: 2 })).toEqual([]);
});

test("what was not measured has regressed", () => {
  expect(regressions([], { restore: 2 })).toEqual([{ what: "restore", before: 2, now: undefined }]);
});

test("of two measurements the better counts", () => {
  const again = bestOfBoth([ratio("restore", 1), ratio("backup", 3)], [ratio("restore", 1.9), ratio("backup", 2)]);
  expect(again.map(({ value }) => value)).toEqual([1.9, 3]);
  expect(regressions(again, { restore: 2, backup: 3 })).toEqual([]);
});

test("the baseline has what is checked, to two digits", () => {
  expect(baselineOf([ratio("restore", 1.23456), ratio("time against one that waits", 30, false)])).toEqual({
    restore: 1.23,
  });
});
