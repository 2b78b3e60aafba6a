import { bareList } from "../compare-backups.ts";
import { bareCreates } from "../compare-restores.ts";
import type { ComparisonFigures, PartResult } from "../part-result.ts";
import { best } from "../report/ratios.ts";
import { linearAxis, logAxis } from "./axis.ts";
import { type Line, type LineStyle, lineChart, type Panel } from "./line-chart.ts";

const styles: Readonly<Record<string, LineStyle>> = {
  jibe: "ours",
  Velero: "theirs",
  "Velero, tuned": "theirs-tuned",
  [bareList]: "limit",
  [bareCreates]: "limit",
};

/** Time by number of items: jibe, Velero and the bare limit, both axes logarithmic. */
export function timeByItemsPlot(results: readonly PartResult[]): string {
  return lineChart("Time by number of items (lower is better)", [
    timePanel("Backup", plainComparisons(results, "backup")),
    timePanel("Restore into an empty cluster", plainComparisons(results, "restore")),
  ]);
}

function plainComparisons(results: readonly PartResult[], run: "backup" | "restore"): readonly ComparisonFigures[] {
  return results.flatMap(({ figures }) =>
    figures.kind === "comparison" && figures.run === run && figures.scenario === "plain" ? [figures] : [],
  );
}

function timePanel(title: string, comparisons: readonly ComparisonFigures[]): Panel {
  const names = [...new Set(comparisons.flatMap(({ contestants }) => contestants.map(({ name }) => name)))];
  const lines = names.map(
    (name): Line => ({
      name,
      style: styles[name] ?? "limit",
      points: comparisons.flatMap(({ items, contestants }) => {
        const figures = best(contestants.find((each) => each.name === name)?.rounds);
        return figures ? [[items, figures.seconds] as const] : [];
      }),
    }),
  );
  const [x, y] = coordinates(lines);
  return { title, xLabel: "items", x: logAxis(x), y: logAxis(y, " s"), lines };
}

/** How jibe's time and memory grow. */
export function growthPlot(results: readonly PartResult[]): string {
  const sizes = results
    .flatMap(({ figures }) => (figures.kind === "growth" ? figures.sizes : []))
    .toSorted((one, other) => one.items - other.items);
  const lines = (pick: "seconds" | "peakMb"): readonly Line[] =>
    (["backup", "restore"] as const).map((run) => ({
      name: run,
      style: run === "backup" ? "ours" : "ours-other",
      points: sizes.flatMap((size) => {
        const figures = best(size[run]);
        return figures ? [[size.items, figures[pick]] as const] : [];
      }),
    }));
  const [time, memory] = [lines("seconds"), lines("peakMb")];
  const [x, seconds] = coordinates(time);
  const [, peaks] = coordinates(memory);
  return lineChart("How jibe's cost grows", [
    { title: "Time", xLabel: "items", x: logAxis(x), y: logAxis(seconds, " s"), lines: time },
    { title: "Peak memory of the server", xLabel: "items", x: logAxis(x), y: linearAxis(peaks, " MB"), lines: memory },
  ]);
}

/** All values of both axes; a plot without lines still has axes. */
function coordinates(lines: readonly Line[]): readonly [readonly number[], readonly number[]] {
  const points = lines.flatMap((line) => line.points);
  if (points.length === 0)
    return [
      [1000, 10_000],
      [1, 10],
    ];
  return [points.map(([x]) => x), points.map(([, y]) => y)];
}
