import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PluginCallsResult } from "../../packages/jibe/bench/plugin-calls.ts";
import type { KubeBenchResult } from "../../packages/kube/bench/list-and-create.ts";
import type { SandboxFigures } from "../../packages/sandbox/bench/measure-sandbox.ts";
import type { Rounds } from "./in-turns.ts";
import type { GrowthFigures } from "./measure-growth.ts";
import type { RunFigures } from "./measure-run.ts";
import type { SoakFigures } from "./soak.ts";

/** What both servers are given to do besides the bare run. */
export type Scenario = "plain" | "action" | "operations" | "existing";

export interface ComparisonFigures {
  readonly run: "backup" | "restore";
  readonly scenario: Scenario;
  readonly items: number;
  /** Asynchronous operations that the run starts. */
  readonly operations: number;
  readonly contestants: readonly Rounds<RunFigures>[];
}

/** What a part of the benchmark measured, by its kind. */
export type PartFigures =
  | ({ readonly kind: "comparison" } & ComparisonFigures)
  | { readonly kind: "client"; readonly client: KubeBenchResult }
  | { readonly kind: "plugin calls"; readonly calls: readonly PluginCallsResult[] }
  | { readonly kind: "sandbox"; readonly sandbox: SandboxFigures }
  | { readonly kind: "soak"; readonly soak: SoakFigures }
  | { readonly kind: "growth"; readonly sizes: readonly GrowthFigures[] };

/** A part as it was measured, kept in a file so that the pages can be put together from parts that ran at different times. */
export interface PartResult {
  readonly part: string;
  readonly date: string;
  readonly machine: string;
  readonly minutes: number;
  readonly figures: PartFigures;
}

/** Files of results, one a part, in a folder that is not committed. */
export class KeptResults {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async keep(result: PartResult): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await writeFile(this.#file(result.part), `${JSON.stringify(result, undefined, 1)}\n`);
  }

  /** The last result of a part; nothing when it was never measured here. */
  async find(part: string): Promise<PartResult | undefined> {
    return readFile(this.#file(part), "utf8").then(
      (text) => JSON.parse(text) as PartResult,
      () => undefined,
    );
  }

  #file(part: string): string {
    return join(this.#folder, `${part}.json`);
  }
}
