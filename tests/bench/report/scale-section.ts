import type { RunFigures } from "../measure-run.ts";
import type { ComparisonFigures, PartResult, Scenario } from "../part-result.ts";
import { count, shown, table } from "./markdown.ts";
import { best } from "./ratios.ts";

const [begin, end] = ["<!-- written by npm run bench: begin -->", "<!-- written by npm run bench: end -->"];

/** docs/scale.md with its table written anew. */
export function withScaleSection(page: string, results: readonly PartResult[]): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error("docs/scale.md has lost the marks of the part that the bench writes");
  return [page.slice(0, from), begin, "\n\n", scaleSection(results).join("\n"), "\n", page.slice(to)].join("");
}

function scaleSection(results: readonly PartResult[]): readonly string[] {
  const dates = [...new Set(results.map(({ date }) => date))].sort();
  const machines = [...new Set(results.map(({ machine }) => machine))];
  return [
    `Measured ${dates.join(", ")} on ${machines.join("; ")}.`,
    "",
    ...table(["cost", "backup", "restore"], costRows(results)),
    ...growthTable(results),
  ];
}

type Run = "backup" | "restore";
const runs = ["backup", "restore"] as const;

/** What one item, one plugin call and one operation cost, each as the difference that it makes. */
function costRows(results: readonly PartResult[]): readonly (readonly string[])[] {
  const ours = (run: Run, scenario: Scenario) => largestOfOurs(results, run, scenario);
  const perItem = (pick: (figures: RunFigures) => number | undefined, unit: number) =>
    runs.map((run) => {
      const found = ours(run, "plain");
      return found ? shown(((pick(found.figures) ?? Number.NaN) / found.items) * unit) : "–";
    });
  const perCall = runs.map((run) => {
    const action = ours(run, "action");
    const plain = largestOfOurs(results, run, "plain", action?.items);
    if (!action || !plain) return "–";
    return shown(((action.figures.cpuSeconds - plain.figures.cpuSeconds) / action.items) * 1e6);
  });
  const perOperation = runs.map((run) => {
    const found = ours(run, "operations");
    const plain = largestOfOurs(results, run, "plain", found?.items);
    if (!found || !plain) return "–";
    return shown(((found.figures.cpuSeconds - plain.figures.cpuSeconds) / found.operations) * 1e6);
  });
  return [
    ["items measured", ...runs.map((run) => count(ours(run, "plain")?.items ?? 0))],
    ["requests to the API server per 1,000 items", ...perItem(({ api }) => api?.requests, 1000)],
    ["answers of the API server, bytes per item", ...perItem(({ api }) => api?.answeredMb, 2 ** 20)],
    ["CPU of the API server, µs per item", ...perItem(({ api }) => api?.cpuSeconds, 1e6)],
    ["CPU of jibe, µs per item", ...perItem(({ cpuSeconds }) => cpuSeconds, 1e6)],
    ["time, µs per item", ...perItem(({ seconds }) => seconds, 1e6)],
    ["CPU of jibe, µs more per call of an external action", ...perCall],
    ["CPU of jibe, µs more per operation, its polls and files included", ...perOperation],
    ["memory of jibe, bytes more per item (growth)", ...runs.map((run) => memoryPerItem(results, run))],
    ["bytes in the store per item (growth)", storedPerItem(results), ""],
  ];
}

interface OurFigures {
  readonly items: number;
  readonly operations: number;
  readonly figures: RunFigures;
}

/** Our figures of the largest comparison of a kind, or of the one with exactly these items. */
function largestOfOurs(
  results: readonly PartResult[],
  run: Run,
  scenario: Scenario,
  items?: number,
): OurFigures | undefined {
  return results
    .map(({ figures }) => figures)
    .filter((figures): figures is { kind: "comparison" } & ComparisonFigures => figures.kind === "comparison")
    .filter((each) => each.run === run && each.scenario === scenario && (items ?? each.items) === each.items)
    .flatMap((each) => {
      const figures = best(each.contestants.find(({ name }) => name === "jibe")?.rounds);
      return figures ? [{ items: each.items, operations: each.operations, figures }] : [];
    })
    .toSorted((one, other) => other.items - one.items)[0];
}

const sizesOf = (results: readonly PartResult[]) =>
  results
    .flatMap(({ figures }) => (figures.kind === "growth" ? figures.sizes : []))
    .toSorted((one, other) => one.items - other.items);

function memoryPerItem(results: readonly PartResult[], run: Run): string {
  const sizes = sizesOf(results);
  const [small, large] = [sizes[0], sizes.at(-1)];
  const [before, after] = [best(small?.[run]), best(large?.[run])];
  if (!small || !large || !before || !after || small === large) return "–";
  return shown(((after.peakMb - before.peakMb) * 2 ** 20) / (large.items - small.items));
}

function storedPerItem(results: readonly PartResult[]): string {
  const large = sizesOf(results).at(-1);
  return large ? shown((large.storedMb * 2 ** 20) / large.items) : "–";
}

function growthTable(results: readonly PartResult[]): readonly string[] {
  const rows = sizesOf(results).map(({ items, storedMb, sandboxMb, ...size }) => {
    const cells = runs.flatMap((run) => {
      const { seconds = Number.NaN, cpuSeconds = Number.NaN, peakMb = Number.NaN } = best(size[run]) ?? {};
      return [shown(seconds), shown(cpuSeconds), shown(peakMb)];
    });
    return [count(items), ...cells, shown(storedMb), shown(sandboxMb)];
  });
  if (rows.length === 0) return [];
  return table(
    ["items", "backup s", "CPU s", "peak MB", "restore s", "CPU s", "peak MB", "stored MB", "API server MB"],
    rows,
  );
}
