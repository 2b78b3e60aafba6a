import type { SandboxComparison, SandboxFigures } from "../../../packages/sandbox/bench/measure-sandbox.ts";
import { bareList } from "../compare-backups.ts";
import { bareCreates } from "../compare-restores.ts";
import type { GrowthFigures } from "../measure-growth.ts";
import type { RunFigures } from "../measure-run.ts";
import type { ComparisonFigures, PartResult, Scenario } from "../part-result.ts";
import { count } from "./markdown.ts";

/** One figure of ours beside another's. Larger is better. */
export interface Ratio {
  readonly what: string;
  /** The part that measured it. */
  readonly part: string;
  readonly value: number;
  /** What was aimed at. */
  readonly goal?: number;
  /** Whether a fall is taken for a regression: ratios of CPU time and memory are; those of time mostly follow the machine's load. */
  readonly isChecked: boolean;
}

const scenarioWords: Readonly<Record<Scenario, (operations: number) => string>> = {
  plain: () => "",
  action: () => ", one external action on every item",
  operations: (operations) => `, ${operations} operations`,
  existing: () => " onto equal objects",
};

/** The run and what is special about it, in words. */
export const runWords = ({ run, scenario, operations }: Omit<ComparisonFigures, "items" | "contestants">) =>
  `${run}${scenarioWords[scenario](operations)}`;

/** All ratios of some results. */
export function ratiosOf(results: readonly PartResult[]): readonly Ratio[] {
  return results.flatMap(({ part, figures }) => partRatios(figures).map((ratio) => ({ ...ratio, part })));
}

type PlainRatio = Omit<Ratio, "part">;

function partRatios(figures: PartResult["figures"]): readonly PlainRatio[] {
  switch (figures.kind) {
    case "comparison":
      return comparisonRatios(figures);
    case "client":
      return [
        {
          what: "client: CPU of a bare list by ours",
          value: 1 / figures.client.list.ratio,
          goal: 1 / 1.3,
          isChecked: true,
        },
        {
          what: "client: rate of creates by a bare loop's",
          value: figures.client.create.ratio,
          goal: 0.9,
          isChecked: true,
        },
      ];
    case "plugin calls":
      return figures.calls.map(({ inFlight, ratio }) => ({
        what: `plugin calls, ${inFlight} at once: rate by a Go host's`,
        value: ratio,
        isChecked: false,
        ...(inFlight === 32 ? { goal: 0.5 } : {}),
      }));
    case "sandbox":
      return sandboxRatios(figures.sandbox);
    case "growth":
      return memoryRatios(figures.sizes);
    case "soak":
      return [];
  }
}

function sandboxRatios({ create, list, fanOut }: SandboxFigures): readonly PlainRatio[] {
  const cpu = ({ realCpuSeconds, oursCpuSeconds }: SandboxComparison) => realCpuSeconds / oursCpuSeconds;
  return [
    { what: "sandbox: creates, times faster than kube-apiserver", value: create.ratio, goal: 3, isChecked: false },
    { what: "sandbox: CPU time of kube-apiserver by ours, creates", value: cpu(create), isChecked: true },
    { what: "sandbox: lists, times faster", value: list.ratio, goal: 2, isChecked: false },
    { what: "sandbox: fan-out to watchers, times faster", value: fanOut.ratio, goal: 1, isChecked: false },
    { what: "sandbox: CPU time of kube-apiserver by ours, fan-out", value: cpu(fanOut), isChecked: true },
  ];
}

/** How flat memory stays: from 50,000 items to 200,000, or from the fewest to the most there are. */
function memoryRatios(sizes: readonly GrowthFigures[]): readonly PlainRatio[] {
  const from = sizes.find(({ items }) => items === 50_000) ?? sizes[0];
  const to = sizes.find(({ items }) => items === 200_000) ?? sizes.at(-1);
  if (!from || !to || from === to) return [];
  const isLarge = from.items === 50_000 && to.items === 200_000;
  return (["backup", "restore"] as const).flatMap((run): PlainRatio[] => {
    const [small, large] = [best(from[run]), best(to[run])];
    if (!small || !large) return [];
    const what = `${run}: memory for ${count(from.items)} items by that for ${count(to.items)}`;
    const goal = isLarge && run === "backup" ? { goal: 1 / 1.3 } : {}; // a restore has a limit in MB
    return [{ what, value: small.peakMb / large.peakMb, isChecked: true, ...goal }];
  });
}

function comparisonRatios(figures: ComparisonFigures): readonly PlainRatio[] {
  const { run, scenario, items, contestants } = figures;
  const ourRounds = contestants.find(({ name }) => name === "jibe")?.rounds ?? [];
  const ours = best(ourRounds);
  if (!ours) return [];
  const what = `${count(items)} items, ${runWords(figures)}`;
  return contestants.flatMap(({ name, rounds }): PlainRatio[] => {
    const theirs = best(rounds);
    if (!theirs || name === "jibe") return [];
    const faster = theirs.seconds / ours.seconds;
    if (name === bareList || name === bareCreates) {
      const goal = name === bareCreates ? (items === 5000 ? 0.7 : undefined) : items === 50_000 ? 1 / 2.5 : undefined;
      return [
        {
          what: `${what}: share of the speed of ${name}`,
          value: faster,
          isChecked: name === bareCreates,
          ...(goal ? { goal } : {}),
        },
      ];
    }
    const goal = goalOf({ run, scenario, items, name });
    return [
      { what: `${what}: times faster than ${name}`, value: faster, isChecked: false, ...(goal ? { goal } : {}) },
      { what: `${what}: CPU time of ${name} by jibe's`, value: cpuOf(rounds) / cpuOf(ourRounds), isChecked: true },
    ];
  });
}

// The least CPU time of any round: what makes a round worse is other work on the machine.
const cpuOf = (rounds: readonly RunFigures[]) => Math.min(...rounds.map(({ cpuSeconds }) => cpuSeconds));

function goalOf({
  run,
  scenario,
  items,
  name,
}: Pick<ComparisonFigures, "run" | "scenario" | "items"> & { name: string }) {
  if (items < 5000 || scenario === "operations") return undefined;
  if (scenario === "existing") return 3;
  if (scenario === "action") return run === "backup" ? 4 : undefined;
  const isTuned = name !== "Velero";
  if (run === "backup") return isTuned ? 5 : 8;
  return isTuned ? 9 : 12;
}

/** The round that was disturbed least. */
export function best(rounds: readonly RunFigures[] | undefined): RunFigures | undefined {
  return rounds?.toSorted((one, other) => one.seconds - other.seconds)[0];
}
