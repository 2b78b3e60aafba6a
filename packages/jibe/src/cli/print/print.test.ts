import { expect, test } from "vitest";
import { formatAmounts, formatCount, formatRate } from "../wait/amounts.ts";
import { alignTabs } from "./tab-writer.ts";
import { formatTable } from "./table.ts";
import { goTime, shortSpan, untilOrAgo } from "./time.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const spans: Record<string, number> = {
  "0s": -5,
  "119s": 119 * second,
  "2m": 2 * minute,
  "9m59s": 10 * minute - second,
  "179m": 179 * minute,
  "3h": 3 * hour,
  "7h30m": 7.5 * hour,
  "47h": 47 * hour,
  "2d1h": 49 * hour,
  "29d": 29 * day,
  "2y5d": (2 * 365 + 5) * day,
};
for (const [want, ms] of Object.entries(spans)) {
  test(`a span of ${ms} ms reads ${want}`, () => expect(shortSpan(ms)).toBe(want));
}

test("times read as Go prints them", () => {
  expect(goTime("2026-05-20T08:00:22Z")).toBe("2026-05-20 08:00:22 +0000 UTC");
  expect(goTime(undefined)).toBe("<nil>");
  expect(goTime(null, "<n/a>")).toBe("<n/a>");
});

test("an expiry reads as time left or time since", () => {
  const now = new Date("2026-05-20T08:00:00Z");
  expect(untilOrAgo("2026-06-18T09:00:00Z", now)).toBe("29d");
  expect(untilOrAgo("2026-05-20T05:00:00Z", now)).toBe("3h ago");
  expect(untilOrAgo(undefined, now)).toBe("n/a");
});

test("cells below one another are as wide as the widest, until a line without one", () => {
  expect(alignTabs("Name:\tx\nNamespace:\ty\n\nA:\tb\n\tc:\td\n")).toBe(
    "Name:       x\nNamespace:  y\n\nA:  b\n    c:  d\n",
  );
});

test("a table's columns stand apart and its lines have no blanks at the end", () => {
  expect(
    formatTable(
      ["NAME", "STATUS", "X"],
      [
        ["long-name", "", ""],
        ["b", "New", "1"],
      ],
    ),
  ).toBe("NAME        STATUS   X\nlong-name\nb           New      1");
});

test("counts and amounts read well", () => {
  expect(formatCount(1234567)).toBe("1,234,567");
  expect(formatAmounts(1536, 3 * 1024 ** 2, "Bytes")).toBe("0.0 of 3.0 MiB");
  expect(formatAmounts(3, 1200, "files")).toBe("3 of 1,200 files");
  expect(formatRate(2.5, "files")).toBe("2.5 files/s");
  expect(formatRate(5 * 1024, "bytes")).toBe("5.0 KiB/s");
});
