import type { Rounds } from "../in-turns.ts";
import type { RunFigures } from "../measure-run.ts";
import type { ComparisonFigures, PartResult } from "../part-result.ts";
import { absoluteGoals } from "./absolute-goals.ts";
import { count, shown, table } from "./markdown.ts";
import { otherLines } from "./other-figures.ts";
import { best, ratiosOf, runWords } from "./ratios.ts";
import { tolerance } from "./regressions.ts";

/** docs/benchmarks.md, or what a quick run prints. */
export function benchmarksPage(results: readonly PartResult[]): string {
  return [
    "# Benchmarks",
    "",
    ...howMeasured(results),
    "## Ratios",
    "",
    "Above 1 jibe is better. The goals are those the project has set itself.",
    "",
    ...table(
      ["what", "ratio", "goal"],
      ratiosOf(results).map(({ what, value, goal }) => [
        what,
        shown(value),
        goal === undefined ? "" : `${shown(goal)} ${value >= goal ? "met" : "**missed**"}`,
      ]),
    ),
    ...absoluteLines(results),
    ...plots(results),
    ...comparisonLines(results),
    ...growthLines(results),
    ...results.flatMap(({ figures }) => otherLines(figures)),
    ...runAgain,
  ].join("\n");
}

function howMeasured(results: readonly PartResult[]): readonly string[] {
  const machines = [...new Set(results.map(({ machine }) => machine))];
  const dates = [...new Set(results.map(({ date }) => date))].sort();
  return [
    `Written by \`npm run bench\` from what it measured (${dates.join(", ")}) on: ${machines.join("; ")}. API server, etcd, the server under measurement and its`,
    "plugins share that machine. Velero is 1.18.3, the API server kube-apiserver 1.36.3 with etcd 3.6.16, without controllers. The objects are ConfigMaps,",
    "Secrets, Deployments and Roles of about 1.3 KB as the API server sends them, 500 a namespace. The store is one plugin in Go, the same under both servers.",
    "",
    "A run lasts from the POST of the Backup or Restore to its final phase as a watch sees it. Each time the server is fresh and has made one small run before; the other",
    "server is stopped. Restores go into a new, empty cluster. Contestants run in turns, each round begins with another, the fastest round counts and the spread is",
    "shown. A run that takes over four minutes is made once. CPU seconds are those of the server alone, without plugins; memory is its peak (VmHWM).",
    "",
    ...table(
      ["defaults", "Velero", "Velero, tuned", "jibe"],
      [
        [
          "requests a second",
          "`--client-qps 100`, `--client-burst 100`",
          "5,000, 5,000",
          "follows the API server's load",
        ],
        ["requests at once", "`--max-concurrent-k8s-connections 30`", "30", "64"],
        ["item blocks at once (backup)", "`--item-block-worker-count 1`", "1", "16"],
        ["items at once (restore)", "1", "1", "`--restore-worker-count 64`"],
        ["page size", "`--client-page-size 500`", "500", "500"],
        ["looks at operations", "every 10 s", "every 10 s", "at once, then less and less often, at least every 10 s"],
      ],
    ),
  ];
}

function absoluteLines(results: readonly PartResult[]): readonly string[] {
  const rows = absoluteGoals(results);
  return rows.length > 0 ? table(["memory", "peak", "goal"], rows) : [];
}

function plots(results: readonly PartResult[]): readonly string[] {
  const has = (kind: string) => results.some(({ figures }) => figures.kind === kind);
  return [
    ...(has("comparison") ? ["![Time by number of items](benchmarks/time-by-items.svg)", ""] : []),
    ...(has("growth") ? ["![How jibe's cost grows](benchmarks/growth.svg)", ""] : []),
  ];
}

function comparisonLines(results: readonly PartResult[]): readonly string[] {
  const rows = results.flatMap(({ figures, date }) =>
    figures.kind === "comparison" ? figures.contestants.flatMap((each) => comparisonRow(figures, each, date)) : [],
  );
  if (rows.length === 0) return [];
  return [
    "## Backups and restores",
    "",
    "`requests` and `answers` are what the API server itself counted.",
    "",
    ...table(
      [
        "items",
        "run",
        "server",
        "seconds",
        "spread",
        "CPU s",
        "peak MB",
        "API server CPU s",
        "requests",
        "answers MB",
        "measured",
      ],
      rows,
    ),
  ];
}

function comparisonRow(
  comparison: ComparisonFigures,
  { name, rounds }: Rounds<RunFigures>,
  date: string,
): readonly (readonly string[])[] {
  const fastest = best(rounds);
  if (!fastest) return [];
  const { seconds, cpuSeconds, peakMb, api } = fastest;
  const isBare = api === undefined;
  return [
    [
      count(comparison.items),
      runWords(comparison),
      name,
      shown(seconds),
      spreadOf(rounds),
      shown(cpuSeconds),
      isBare ? "" : shown(peakMb),
      api ? shown(api.cpuSeconds) : "",
      api ? count(api.requests) : "",
      api ? shown(api.answeredMb) : "",
      date,
    ],
  ];
}

function spreadOf(rounds: readonly RunFigures[]): string {
  if (rounds.length < 2) return "once";
  const seconds = rounds.map((round) => round.seconds);
  return `${shown(Math.min(...seconds))}–${shown(Math.max(...seconds))} (${rounds.length})`;
}

function growthLines(results: readonly PartResult[]): readonly string[] {
  const sizes = results.flatMap(({ figures }) => (figures.kind === "growth" ? figures.sizes : []));
  if (sizes.length === 0) return [];
  const rows = sizes.flatMap((size) =>
    (["backup", "restore"] as const).flatMap((run) => {
      const fastest = best(size[run]);
      if (!fastest) return [];
      const { seconds, cpuSeconds, peakMb } = fastest;
      const perItem = shown((seconds / size.items) * 1e6);
      return [[count(size.items), run, shown(seconds), spreadOf(size[run]), perItem, shown(cpuSeconds), shown(peakMb)]];
    }),
  );
  return [
    "## Growth",
    "",
    "jibe alone, on its embedded API server in another process. What it means for large clusters: [scale](scale.md).",
    "",
    ...table(["items", "run", "seconds", "spread", "µs per item", "CPU s", "peak MB"], rows),
  ];
}

const runAgain = [
  "## Measure it yourself",
  "",
  "Needs Linux, Node 20 with npm, and Go 1.26 (the peers are built once).",
  "",
  "```console",
  "npm run bench                              # all of it, about two hours; writes this page, its plots and the table of docs/scale.md",
  "npm run bench -- --only=restore,growth     # some parts; the others stay as they were measured last",
  "npm run bench -- --resume                  # only what was not measured here, or not often enough",
  "npm run bench -- --quick --check           # a few minutes, compared with tests/bench/baseline-quick.json",
  "```",
  "",
  `The comparison fails where a ratio is below ${Math.round(tolerance * 100)} % of the baseline's twice in a row: what halves a ratio is caught, what a busy machine does to it is not.`,
  "",
];
