import { describe, expect, test } from "vitest";
import { linearAxis, logAxis } from "./axis.ts";
import { lineChart } from "./line-chart.ts";

const labels = (axis: { readonly ticks: readonly { readonly label: string }[] }) =>
  axis.ticks.map(({ label }) => label);

describe("a logarithmic axis", () => {
  test("shows powers of ten where it spans several", () => {
    const axis = logAxis([1000, 5000, 50_000, 200_000]);
    expect(labels(axis)).toEqual(["1,000", "10,000", "100,000"]);
    expect([1000, 200_000].map((value) => Math.round(axis.place(value) * 100))).toEqual([0, 100]);
  });

  test("shows steps between where it spans few", () => {
    expect(labels(logAxis([0.3, 6], " s"))).toEqual(["0.2 s", "0.5 s", "1 s", "2 s", "5 s", "10 s"]);
  });
});

test("a linear axis begins at zero and ends above the largest value", () => {
  const axis = linearAxis([98, 163], " MB");
  expect(labels(axis)).toEqual(["0 MB", "50 MB", "100 MB", "150 MB", "200 MB"]);
  expect(axis.place(200)).toBe(1);
});

test("a chart holds every point of every line inside its ground, and its texts escaped", () => {
  const points = [
    [1000, 0.5],
    [50_000, 10],
  ] as const;
  const panel = {
    title: "a < b",
    xLabel: "items",
    x: logAxis([1000, 50_000]),
    y: logAxis([0.5, 10]),
    lines: [
      { name: "jibe", style: "ours", points },
      { name: "Velero", style: "theirs", points },
    ],
  } as const;
  const svg = lineChart("Time", [panel, panel]);
  expect(svg).toContain("a &lt; b");
  const circles = [...svg.matchAll(/<circle class="[a-z]+" cx="([\d.]+)" cy="([\d.]+)"/g)];
  expect(circles).toHaveLength(8);
  for (const [, x, y] of circles) {
    expect(Number(x)).toBeLessThanOrEqual(440);
    expect(Number(y)).toBeLessThanOrEqual(340);
  }
});
