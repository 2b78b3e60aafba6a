/**
 * `npm run bench`: jibe beside real Velero and beside the bare limit, in one run, as ratios. `--quick` takes a few minutes; `--check` compares
 * with the committed baseline; `--write` writes docs/benchmarks.md and the baseline; `--items=1000,5000` chooses the sizes.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loggerTo, type Scope } from "@jibe/base";
import { buildGoProgram, startKubernetes } from "@jibe/testkit/peers";
import { benchPluginCalls, pluginCallsPeer } from "../../packages/jibe/bench/plugin-calls.ts";
import { benchKube } from "../../packages/kube/bench/list-and-create.ts";
import { bundle } from "./bundle.ts";
import { compareServers } from "./compare-servers.ts";
import { type BenchResults, benchmarksPage, ratiosOf, regressions } from "./report.ts";

const args = process.argv.slice(2);
const isQuick = args.includes("--quick");
const wantedSizes = args
  .find((arg) => arg.startsWith("--items="))
  ?.slice("--items=".length)
  .split(",")
  .map(Number);
const root = join(import.meta.dirname, "../..");
const baselineFile = join(import.meta.dirname, isQuick ? "baseline-quick.json" : "baseline.json");
// A shared machine doubles or halves a figure; a halving of ours beyond that is found all the same.
const tolerance = 0.4;

const log = loggerTo(({ level, message, fields }) => {
  if (level !== "debug") console.error(`${message} ${Object.keys(fields).length > 0 ? JSON.stringify(fields) : ""}`);
});
const stopping = new AbortController();
process.once("SIGINT", () => stopping.abort(new Error("interrupted")));
const scope: Scope = { signal: stopping.signal, log };

const results: BenchResults = {
  comparisons: await comparisons(),
  kube: await kube(),
  plugins: await pluginCalls(),
};
const page = benchmarksPage(results, new Date().toISOString().slice(0, 10));
console.log(page);
const ratios = ratiosOf(results);
if (args.includes("--write")) {
  if (!isQuick) await writeFile(join(root, "docs/benchmarks.md"), page);
  await writeFile(baselineFile, `${JSON.stringify(ratios, undefined, 2)}\n`);
}
if (args.includes("--check")) {
  const baseline = JSON.parse(await readFile(baselineFile, "utf8")) as Record<string, number>;
  const worse = regressions(ratios, baseline, tolerance);
  for (const line of worse) console.error(`slower than the baseline allows: ${line}`);
  process.exitCode = worse.length > 0 ? 1 : 0;
}

async function comparisons() {
  const sizes = wantedSizes ?? (isQuick ? [400] : [1000, 5000]);
  const found = [];
  for (const items of sizes) {
    console.error(`comparing servers on ${items} items`);
    const options = { items, rounds: isQuick ? 2 : 3, mostRestoredByVelero: 5000, tuned: !isQuick };
    const comparison = await compareServers(options, scope);
    console.error(benchmarksPage({ comparisons: [comparison] }, "the way"));
    found.push(comparison);
  }
  return found;
}

async function kube() {
  console.error("measuring the Kubernetes client");
  await using kubernetes = await startKubernetes({}, scope);
  const { url, token, caCert, kubeconfig } = kubernetes;
  const sizes = isQuick ? { items: 4000, creates: 1000, rounds: 2 } : { items: 50_000, creates: 5000, rounds: 3 };
  const { list, create, listPeakMb } = await benchKube(
    { url, token, caCert, kubeconfig, ...sizes, concurrency: 32, bundle },
    scope,
  );
  return { listCpuRatio: list.ratio, createRatio: create.ratio, listPeakMb };
}

async function pluginCalls() {
  console.error("measuring calls of a plugin");
  const program = await buildGoProgram(pluginCallsPeer, scope);
  return benchPluginCalls(
    { program, calls: isQuick ? 4000 : 20_000, rounds: isQuick ? 2 : 3, env: process.env },
    scope,
  );
}
