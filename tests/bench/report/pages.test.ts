import { describe, expect, test } from "vitest";
import type { RunFigures } from "../measure-run.ts";
import type { PartFigures, PartResult, Scenario } from "../part-result.ts";
import { benchmarksPage } from "./benchmarks-page.ts";
import { ratiosOf } from "./ratios.ts";
import { withScaleSection } from "./scale-section.ts";

const run = (seconds: number, more: Partial<RunFigures> = {}): RunFigures => ({
  seconds,
  cpuSeconds: seconds / 2,
  peakMb: 100,
  items: 5000,
  phase: "Completed",
  api: { requests: 110, answeredMb: 6.5, cpuSeconds: 0.5 },
  ...more,
});
const part = (name: string, figures: PartFigures): PartResult => ({
  part: name,
  date: "2026-01-01",
  machine: "2 cores",
  minutes: 1,
  figures,
});
const backup = (scenario: Scenario, contestants: Record<string, readonly RunFigures[]>) =>
  part(`backup-${scenario}-5000`, {
    kind: "comparison",
    run: "backup",
    scenario,
    items: 5000,
    operations: scenario === "operations" ? 500 : 0,
    contestants: Object.entries(contestants).map(([name, rounds]) => ({ name, rounds })),
  });
const growth = part("growth", {
  kind: "growth",
  sizes: [
    { items: 1000, backup: [run(1, { peakMb: 100 })], restore: [run(2)], storedMb: 1, sandboxMb: 90 },
    { items: 2000, backup: [run(2, { peakMb: 101 })], restore: [run(4)], storedMb: 2, sandboxMb: 95 },
  ],
});
const plain = backup("plain", { jibe: [run(1.5), run(1)], Velero: [run(10)], "bare list": [run(0.5)] });

describe("ratios", () => {
  const value = (what: RegExp, ...results: readonly PartResult[]) =>
    ratiosOf(results).find((ratio) => what.test(ratio.what))?.value;

  test("compare the fastest rounds", () => {
    expect(value(/times faster than Velero/, plain)).toBe(10);
    expect(value(/CPU time of Velero/, plain)).toBe(10);
    expect(value(/bare list/, plain)).toBe(0.5);
  });

  test("of memory tell how flat it stays", () => {
    expect(value(/^backup: memory for 1,000 items/, growth)).toBeCloseTo(100 / 101);
  });

  test("of a comparison without us are none", () => {
    expect(ratiosOf([backup("plain", { Velero: [run(10)] })])).toEqual([]);
  });
});

test("the page says which goals are met and which are missed, and how often was measured", () => {
  const slow = backup("action", { jibe: [run(5)], Velero: [run(10)] });
  const page = benchmarksPage([plain, slow, growth]);
  expect(page).toContain("| 5,000 items, backup: times faster than Velero | 10 | 8 met |");
  expect(page).toContain("one external action on every item: times faster than Velero | 2 | 4 **missed** |");
  expect(page).toContain("| 5,000 | backup | jibe | 1 | 1–1.5 (2) |");
  expect(page).toContain("| 5,000 | backup | Velero | 10 | once |");
});

describe("the scale page", () => {
  const empty =
    "# Scale\n<!-- written by npm run bench: begin -->\nold\n<!-- written by npm run bench: end -->\nprose\n";

  test("gets its tables anew and keeps its prose", () => {
    const page = withScaleSection(empty, [plain, growth]);
    expect(page).not.toContain("old");
    expect(page).toContain("| requests to the API server per 1,000 items | 22 | – |");
    expect(page).toContain("| CPU of jibe, µs per item | 100 | – |");
    expect(page).toMatch(/prose\n$/);
    expect(withScaleSection(page, [plain, growth])).toBe(page);
  });

  test("has what one call and one operation add to a run of the same size", () => {
    const page = withScaleSection(empty, [
      plain,
      backup("action", { jibe: [run(2)] }),
      backup("operations", { jibe: [run(3)] }),
    ]);
    expect(page).toContain("more per call of an external action | 100 | – |");
    expect(page).toContain("more per operation, its polls and files included | 2,000 | – |");
  });

  test("without its marks is not touched", () => {
    expect(() => withScaleSection("# Scale\n", [plain])).toThrow("lost the marks");
  });
});
