import type { Scope } from "@jibe/base";
import { buildGoProgram, startKubernetes } from "@jibe/testkit/peers";
import { benchPluginCalls, pluginCallsPeer } from "../../packages/jibe/bench/plugin-calls.ts";
import { benchKube } from "../../packages/kube/bench/list-and-create.ts";
import { measureSandbox } from "../../packages/sandbox/bench/measure-sandbox.ts";
import { bundle } from "./bundle.ts";
import { compareBackups } from "./compare-backups.ts";
import { compareRestores } from "./compare-restores.ts";
import { isMeasured, type Rounds } from "./in-turns.ts";
import { measureGrowth } from "./measure-growth.ts";
import type { RunFigures } from "./measure-run.ts";
import type { PartFigures, Scenario } from "./part-result.ts";
import { jibe, type PluginChoice, type ServerKind, veleroByDefault, veleroTuned } from "./servers.ts";
import { type SoakOptions, soak } from "./soak.ts";

/** A piece of the benchmark that can be run alone. */
export interface BenchPart {
  readonly name: string;
  /** Measures it; of a comparison, the rounds that are missing in what is there. */
  readonly run: (scope: Scope, earlier?: PartFigures) => Promise<PartFigures>;
  /** Whether what is there is all that is wanted. */
  readonly isWhole: (earlier: PartFigures) => boolean;
}

/** How much is measured. */
export interface BenchSizes {
  /** Items of a comparison by run and scenario, such as `restore-action`. */
  readonly comparisons: Readonly<Partial<Record<ComparisonName, readonly number[]>>>;
  /** Above these numbers of items a restore by Velero takes too long to be measured. */
  readonly mostRestoredByVelero: number;
  readonly operations: number;
  readonly tuned: boolean;
  readonly rounds: number;
  /** Whoever takes longer is measured once. */
  readonly mostSeconds: number;
  readonly growth: readonly number[];
  readonly client: { readonly items: number; readonly creates: number };
  readonly pluginCalls: number;
  readonly sandbox: { readonly objects: number; readonly watchers: number; readonly changes: number };
  /** Only a long soak tells a leak from noise; absent: none. */
  readonly soak?: SoakOptions;
}

type ComparisonName = "backup" | "restore" | `${"backup" | "restore"}-${Exclude<Scenario, "plain">}`;

/** The whole benchmark. */
export const fullSizes: BenchSizes = {
  comparisons: {
    backup: [1000, 5000, 50_000],
    restore: [1000, 5000, 50_000],
    "backup-action": [1000, 5000, 50_000],
    "restore-action": [1000, 5000, 50_000],
    "backup-operations": [1000],
    "restore-operations": [1000],
    "restore-existing": [1000, 5000],
  },
  mostRestoredByVelero: 5000,
  operations: 500,
  tuned: true,
  rounds: 3,
  mostSeconds: 240,
  growth: [1000, 5000, 10_000, 50_000, 100_000, 200_000],
  client: { items: 50_000, creates: 5000 },
  pluginCalls: 20_000,
  sandbox: { objects: 50_000, watchers: 100, changes: 1000 },
  soak: { runs: 200, atOnce: 20 },
};

/** A few minutes that show whether something has become much slower. */
export const quickSizes: BenchSizes = {
  comparisons: { backup: [2000], "backup-action": [2000], restore: [200] },
  mostRestoredByVelero: 200,
  operations: 50,
  tuned: false,
  rounds: 2,
  mostSeconds: 10,
  growth: [1000, 8000],
  client: { items: 4000, creates: 1000 },
  pluginCalls: 4000,
  sandbox: { objects: 4000, watchers: 100, changes: 200 },
};

const pluginsOf: Readonly<Record<Scenario, PluginChoice>> = {
  plain: "none",
  existing: "none",
  action: "no-op",
  operations: "operations",
};

/** The parts for these sizes, in the order in which they run. `program` is the bundled product. */
export function benchParts(sizes: BenchSizes, program: string): readonly BenchPart[] {
  return [
    ...Object.entries(sizes.comparisons).flatMap(([name, counts]) =>
      counts.map((items) => comparisonPart(name as ComparisonName, items, sizes, program)),
    ),
    { name: "growth", run: (scope) => growth(sizes, program, scope), isWhole },
    { name: "client", run: (scope) => client(sizes, scope), isWhole },
    { name: "plugin-calls", run: (scope) => pluginCalls(sizes, scope), isWhole },
    { name: "sandbox", run: (scope) => sandbox(sizes, scope), isWhole },
    ...(sizes.soak ? [soakPart(sizes.soak)] : []),
  ];
}

const isWhole = () => true;

const soakPart = (options: SoakOptions): BenchPart => ({
  name: "soak",
  run: async (scope) => ({ kind: "soak", soak: await soak(options, scope) }),
  isWhole,
});

function comparisonPart(name: ComparisonName, items: number, sizes: BenchSizes, program: string): BenchPart {
  const [run, scenario = "plain"] = name.split("-") as ["backup" | "restore", Scenario | undefined];
  const operations = scenario === "operations" ? Math.min(sizes.operations, items) : 0;
  const ours = jibe(program);
  const isTooMuch = run === "restore" && items > sizes.mostRestoredByVelero;
  const theirs: readonly ServerKind[] = sizes.tuned ? [veleroByDefault, veleroTuned] : [veleroByDefault];
  const options = {
    plan: { count: items, operations },
    plugins: pluginsOf[scenario],
    servers: isTooMuch ? [ours] : [ours, ...theirs],
    rounds: sizes.rounds,
    mostSeconds: sizes.mostSeconds,
  };
  const restore = { maker: ours, ontoExisting: scenario === "existing" };
  const compare = (earlier: readonly Rounds<RunFigures>[], scope: Scope) =>
    run === "backup"
      ? compareBackups({ ...options, earlier }, scope)
      : compareRestores({ ...options, ...restore, earlier }, scope);
  const roundsOf = (figures: PartFigures | undefined) => (figures?.kind === "comparison" ? figures.contestants : []);
  return {
    name: `${name}-${items}`,
    run: async (scope, earlier) => {
      const contestants = await compare(roundsOf(earlier), scope);
      return { kind: "comparison", run, scenario, items, operations, contestants };
    },
    isWhole: (earlier) => roundsOf(earlier).every((rounds) => isMeasured(rounds, sizes)),
  };
}

async function growth(sizes: BenchSizes, program: string, scope: Scope): Promise<PartFigures> {
  return { kind: "growth", sizes: await measureGrowth({ ...sizes, sizes: sizes.growth, program }, scope) };
}

async function client({ client: amounts, rounds }: BenchSizes, scope: Scope): Promise<PartFigures> {
  await using kubernetes = await startKubernetes({}, scope);
  return {
    kind: "client",
    client: await benchKube({ ...kubernetes, ...amounts, rounds, concurrency: 32, bundle }, scope),
  };
}

async function pluginCalls({ pluginCalls: calls, rounds }: BenchSizes, scope: Scope): Promise<PartFigures> {
  const program = await buildGoProgram(pluginCallsPeer, scope);
  return { kind: "plugin calls", calls: await benchPluginCalls({ program, calls, rounds, env: process.env }, scope) };
}

async function sandbox({ sandbox: amounts, rounds }: BenchSizes, scope: Scope): Promise<PartFigures> {
  await using real = await startKubernetes({}, scope);
  return { kind: "sandbox", sandbox: await measureSandbox({ real, ...amounts, rounds, bundle }, scope) };
}
