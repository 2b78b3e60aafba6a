import { cpus, totalmem } from "node:os";
import type { Comparison, ServerFigures } from "./compare-servers.ts";
import type { RunFigures } from "./measure-run.ts";

export interface BenchResults {
  readonly comparisons: readonly Comparison[];
  readonly kube?: { readonly listCpuRatio: number; readonly createRatio: number; readonly listPeakMb: number };
  readonly plugins?: readonly {
    readonly inFlight: number;
    readonly ratio: number;
    readonly oursPerSecond: number;
    readonly goPerSecond: number;
  }[];
}

/** The ratios that a regression is judged by; larger is better. */
export function ratiosOf({ comparisons, kube, plugins }: BenchResults): Record<string, number> {
  const ratios: Record<string, number> = {};
  for (const { items, servers } of comparisons) {
    const ours = servers.find(({ server }) => server === "jibe");
    for (const theirs of servers.filter(({ server }) => server !== "jibe")) {
      for (const what of ["backup", "restore"] as const) {
        const [mine, other] = [best(ours?.[what]), best(theirs[what])];
        if (mine && other)
          ratios[`${what} of ${items} items, times faster than ${theirs.server}`] = other.seconds / mine.seconds;
      }
    }
  }
  if (kube) {
    ratios["list, CPU of the bare limit by ours"] = 1 / kube.listCpuRatio;
    ratios["create, rate by the bare loop's"] = kube.createRatio;
  }
  for (const { inFlight, ratio } of plugins ?? [])
    ratios[`plugin calls, ${inFlight} in flight, by a Go host's`] = ratio;
  return ratios;
}

/** The round that was disturbed least. */
export function best(rounds: readonly RunFigures[] | undefined): RunFigures | undefined {
  return rounds?.reduce<RunFigures | undefined>(
    (fastest, round) => (!fastest || round.seconds < fastest.seconds ? round : fastest),
    undefined,
  );
}

/** The page of figures, ratios first. */
export function benchmarksPage(results: BenchResults, date: string): string {
  const lines = [
    "# Benchmarks",
    "",
    `Written by \`npm run bench\` on ${date}, in one run: ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB, shared by all that ran.`,
    "Each figure is from POST to the final phase as a watch sees it, with defaults on both sides; the best of the rounds counts, and the spread is shown.",
    "",
    "| what | ratio |",
    "|---|---|",
    ...Object.entries(ratiosOf(results)).map(([what, ratio]) => `| ${what} | ${ratio.toFixed(2)} |`),
    "",
    "| items | server | what | seconds | spread | CPU seconds | peak MB | phase |",
    "|---|---|---|---|---|---|---|---|",
    ...results.comparisons.flatMap(({ servers }) => servers.flatMap((server) => serverRows(server))),
    "",
  ];
  if (results.kube)
    lines.push(`Peak memory of a process that only lists: ${results.kube.listPeakMb.toFixed(0)} MB.`, "");
  return lines.join("\n");
}

function serverRows(server: ServerFigures): string[] {
  return (["backup", "restore"] as const).flatMap((what) => {
    const rounds = server[what];
    const fastest = best(rounds);
    if (!fastest) return [];
    const slowest = Math.max(...rounds.map(({ seconds }) => seconds));
    const spread = `${fastest.seconds.toFixed(2)} to ${slowest.toFixed(2)}`;
    const figures = [
      fastest.items,
      server.server,
      what,
      fastest.seconds.toFixed(2),
      spread,
      fastest.cpuSeconds.toFixed(1),
      fastest.peakMb.toFixed(0),
      fastest.phase,
    ];
    return [`| ${figures.join(" | ")} |`];
  });
}

/** What fell by more than the tolerance against the baseline. */
export function regressions(
  now: Readonly<Record<string, number>>,
  baseline: Readonly<Record<string, number>>,
  tolerance: number,
): string[] {
  return Object.entries(baseline).flatMap(([what, before]) => {
    const ratio = now[what];
    if (ratio === undefined) return [`${what}: not measured (baseline ${before.toFixed(2)})`];
    return ratio < before * tolerance ? [`${what}: ${ratio.toFixed(2)}, baseline ${before.toFixed(2)}`] : [];
  });
}
