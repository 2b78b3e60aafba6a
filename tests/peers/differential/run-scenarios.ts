import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { AppError, mapConcurrent, type Scope } from "@jibe/base";
import { quietControllers, startCluster } from "./rich-cluster.ts";
import type { Scenario } from "./scenario-file.ts";
import { doStep, type Stage } from "./scenario-steps.ts";
import { prepareWorld, type RunServer } from "./servers.ts";
import { useStorage } from "./storage.ts";
import type { Files } from "./stored-files.ts";

/** What is there at the end of each scenario: its Velero resources and its stored files, or what kept it from its end. */
export type ScenarioOutcomes = ReadonlyMap<string, Files | AppError>;

// Velero looks at its stores once a minute, whatever this says; the scenarios wait for that together.
const flags = ["--garbage-collection-frequency=1s", "--backup-sync-period=1s"];

/** Runs all scenarios side by side on one server in a cluster of its own. */
export async function runScenarios(
  { scenarios, server }: { scenarios: readonly Scenario[]; server: RunServer },
  scope: Scope,
): Promise<ScenarioOutcomes> {
  await using kubernetes = await startCluster({ objects: [], disabledControllers: quietControllers }, scope);
  const [root, dir] = [join(kubernetes.dir, "store"), join(kubernetes.dir, "signals")];
  const world = await prepareWorld(kubernetes, "scenarios", scope);
  await using running = await server({ ...world, flags }, scope);
  await useStorage(kubernetes, root, scope);
  const stage = { kubernetes, running, root, dir };
  const outcomes = new Map<string, Files | AppError>();
  const each = async (scenario: Scenario) => ({ scenario, outcome: await play(scenario, stage, scope) });
  for await (const { scenario, outcome } of mapConcurrent(scenarios, { limit: 20, each }, scope)) {
    outcomes.set(scenario.name, outcome);
  }
  return outcomes;
}

async function play({ name, steps }: Scenario, stage: Stage, scope: Scope): Promise<Files | AppError> {
  for (const [index, step] of steps.entries()) {
    try {
      await doStep(step, stage, scope);
    } catch (cause) {
      scope.signal.throwIfAborted();
      const reason = cause instanceof Error ? cause.message : String(cause);
      return new AppError("Internal", `step ${index + 1} of ${name} (${Object.keys(step)}): ${reason}`, { cause });
    }
  }
  return new Map([...(await resourcesOf(name, stage)), ...(await filesOf(name, stage.root))]);
}

const types =
  "backups,restores,schedules,deletebackuprequests,downloadrequests,backupstoragelocations,volumesnapshotlocations";

interface Listed {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

async function resourcesOf(name: string, { kubernetes, root }: Stage): Promise<Files> {
  const { stdout } = await kubernetes.kubectl(["get", types, "-n", "velero", "-o=json"]);
  const { items } = JSON.parse(timeless(stdout.replaceAll(root, "ROOT"))) as { items: Listed[] };
  const own = items.filter(({ metadata }) => belongs(metadata.name, name));
  return new Map(own.map((object) => [`${object.kind}/velero/${object.metadata.name}`, object]));
}

// A snapshot is named for its volume: `snapshot-of-<volume>`. The ledger is jibe's own.
async function filesOf(name: string, root: string): Promise<Files> {
  if (!existsSync(root)) return new Map();
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const own = paths
    .map((path) => path.slice(root.length + 1))
    .filter((path) => path.split("/").some((part) => belongs(part.replace("snapshot-of-", ""), name)))
    .filter((path) => !path.endsWith("-ledger.jsonl.gz"));
  return new Map(own.sort().map((path) => [timeless(path), "stored"]));
}

const belongs = (text: string, name: string) => text === name || text.startsWith(`${name}-`);

/** Without the time that names of scheduled backups carry. */
const timeless = (text: string) => text.replaceAll(/-\d{14}\b/g, "-TIME");
