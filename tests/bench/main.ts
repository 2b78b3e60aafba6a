/**
 * `npm run bench`: jibe beside real Velero and beside the bare limits, as ratios. Parts can be run alone (`--only=restore,growth`), each keeps its
 * result, and the full form writes docs/benchmarks.md, its plots and the table of docs/scale.md from all that is kept. `--quick` takes a few
 * minutes, `--check` compares with the committed baseline, `--baseline` writes it, `--items=300` tries other sizes and writes no page.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loggerTo, type Scope, systemClock } from "@jibe/base";
import { tempDir } from "@jibe/testkit";
import { isWanted, parseBenchArguments } from "./bench-arguments.ts";
import { type BenchPart, type BenchSizes, benchParts, fullSizes, quickSizes } from "./bench-parts.ts";
import { bundleProduct } from "./bundle.ts";
import { describeMachine } from "./machine.ts";
import { KeptResults, type PartResult } from "./part-result.ts";
import { growthPlot, timeByItemsPlot } from "./plots/benchmark-plots.ts";
import { benchmarksPage } from "./report/benchmarks-page.ts";
import { ratiosOf } from "./report/ratios.ts";
import { type Baseline, baselineOf, bestOfBoth, type Regression, regressions } from "./report/regressions.ts";
import { withScaleSection } from "./report/scale-section.ts";

const root = join(import.meta.dirname, "../..");
const asked = parseBenchArguments(process.argv.slice(2));
const baselineFile = join(import.meta.dirname, asked.isQuick ? "baseline-quick.json" : "baseline.json");
const kept = new KeptResults(join(root, ".cache", asked.isQuick ? "bench-quick" : "bench"));
// Sizes that someone chose are kept apart; of these only the growth, such as that to a million, stands in the pages.
const byHand = "-by-hand";
const began = systemClock.monotonicMs();
// A quick run that finds something slower looks again, unless it has taken too long already.
const latestSecondLookMs = 5 * 60_000;

const log = loggerTo(({ level, message, fields }) => {
  if (level !== "debug") console.error(`${message} ${Object.keys(fields).length > 0 ? JSON.stringify(fields) : ""}`);
});
const stopping = new AbortController();
process.once("SIGINT", () => stopping.abort(new Error("interrupted")));
const scope: Scope = { signal: stopping.signal, log };

await using dir = await tempDir("bench");
const parts = benchParts(sizes(), await bundleProduct(join(dir.path, "dist")));
const results = await gather(parts);
console.log(benchmarksPage(results));
const faults = results.flatMap(({ figures }) => (figures.kind === "soak" ? figures.soak.faults : []));
for (const fault of faults) console.error(`soak: ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
if (!asked.isQuick && !asked.items) await writePages(results);
if (asked.isNewBaseline)
  await writeFile(baselineFile, `${JSON.stringify(baselineOf(ratiosOf(results)), undefined, 2)}\n`);
if (asked.isCheck) await check();

function sizes(): BenchSizes {
  const { items, rounds } = asked;
  const usual = { ...(asked.isQuick ? quickSizes : fullSizes), ...(rounds ? { rounds } : {}) };
  if (!items) return usual;
  const comparisons = Object.fromEntries(Object.keys(usual.comparisons).map((name) => [name, items]));
  return { ...usual, comparisons, growth: items };
}

async function gather(all: readonly BenchPart[]): Promise<readonly PartResult[]> {
  const found: PartResult[] = [];
  for (const part of all) {
    const earlier = await kept.find(part.name);
    const begun = asked.isResumed ? earlier?.figures : undefined;
    const isMeasured = isWanted(part.name, asked.only) && !(begun && part.isWhole(begun));
    const result = isMeasured ? await measure(part, begun) : earlier;
    if (result && (isMeasured || !asked.items)) found.push(result);
  }
  const beyond = await kept.find(`growth${byHand}`);
  return asked.isQuick || asked.items || !beyond ? found : [...found, beyond];
}

async function measure({ name, run }: BenchPart, begun?: PartResult["figures"]): Promise<PartResult> {
  console.error(`\n== ${name}`);
  const from = systemClock.monotonicMs();
  const figures = await run(scope, begun);
  const minutes = Math.round((systemClock.monotonicMs() - from) / 600) / 100;
  const result = {
    part: name,
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    minutes,
    figures,
  };
  await kept.keep(asked.items ? { ...result, part: `${name}${byHand}` } : result);
  console.error(`== ${name} took ${minutes} minutes`);
  return result;
}

async function writePages(from: readonly PartResult[]): Promise<void> {
  const docs = join(root, "docs");
  await mkdir(join(docs, "benchmarks"), { recursive: true });
  await writeFile(join(docs, "benchmarks.md"), benchmarksPage(from));
  await writeFile(join(docs, "benchmarks/time-by-items.svg"), timeByItemsPlot(from));
  await writeFile(join(docs, "benchmarks/growth.svg"), growthPlot(from));
  const scalePage = join(docs, "scale.md");
  await writeFile(scalePage, withScaleSection(await readFile(scalePage, "utf8"), from));
}

async function check(): Promise<void> {
  const baseline = JSON.parse(await readFile(baselineFile, "utf8")) as Baseline;
  let ratios = ratiosOf(results);
  for (let look = 1; look <= 2; look++) {
    const worse = regressions(ratios, baseline);
    if (worse.length === 0 || systemClock.monotonicMs() - began > latestSecondLookMs) break;
    console.error(`looking again at what was slower: ${worse.map(({ what }) => what).join("; ")}`);
    ratios = bestOfBoth(ratios, ratiosOf(await gatherAgain(worse, ratios)));
  }
  const worse = regressions(ratios, baseline);
  for (const { what, before, now } of worse)
    console.error(`slower than the baseline allows: ${what}: ${now?.toFixed(2) ?? "not measured"}, baseline ${before}`);
  if (worse.length > 0) process.exitCode = 1;
}

async function gatherAgain(worse: readonly Regression[], ratios: ReturnType<typeof ratiosOf>) {
  const names = new Set(worse.flatMap(({ what }) => ratios.find((ratio) => ratio.what === what)?.part ?? []));
  const again: PartResult[] = [];
  for (const part of parts.filter(({ name }) => names.has(name))) again.push(await measure(part));
  return again;
}
