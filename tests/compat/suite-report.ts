import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Suite } from "./suites.ts";

/** One test as it went. */
export interface TestOutcome {
  readonly file: string;
  readonly headings: readonly string[];
  readonly title: string;
  readonly status: string;
}

/** A suite as it went, kept in a file so that the page can be put together from suites that ran one by one. */
export interface SuiteReport {
  readonly suite: string;
  readonly date: string;
  readonly tests: readonly TestOutcome[];
}

/** What vitest writes. */
interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

const root = join(import.meta.dirname, "../..");
const folder = join(root, ".cache/compat");
const reportFile = (suite: string) => join(folder, `${suite}.json`);

/** Runs a suite, shows its progress, and keeps its report. */
export async function runSuite({ name, files, needsPeers, minutes }: Suite): Promise<SuiteReport> {
  await mkdir(folder, { recursive: true });
  const written = join(folder, `${name}.vitest.json`);
  await rm(written, { force: true });
  const args = ["node_modules/vitest/vitest.mjs", "run", ...files, "--reporter=default", "--reporter=json"];
  const env = needsPeers ? { ...process.env, JIBE_TIER: "peers" } : process.env;
  const child = spawn(process.execPath, [...args, `--outputFile.json=${written}`], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    env,
    timeout: minutes * 60_000,
  });
  await once(child, "exit");
  const { testResults } = JSON.parse(await readFile(written, "utf8")) as VitestReport;
  const report = { suite: name, date: new Date().toISOString().slice(0, 10), tests: testResults.flatMap(outcomesOf) };
  await writeFile(reportFile(name), `${JSON.stringify(report, undefined, 1)}\n`);
  await rm(written);
  return report;
}

function outcomesOf({ name, status, assertionResults }: VitestReport["testResults"][number]): readonly TestOutcome[] {
  const file = relative(root, name);
  const tests = assertionResults.map(({ ancestorTitles, title, ...outcome }) => ({
    file,
    headings: ancestorTitles.filter((heading) => heading !== ""),
    title,
    status: outcome.status,
  }));
  // What fails before the first test, such as a cluster that does not start, belongs to no test.
  const isBroken = status === "failed" && tests.every((test) => test.status !== "failed");
  return isBroken ? [...tests, { file, headings: [], title: "the file as a whole", status }] : tests;
}

/** The report that an earlier run has left; nothing when there was none. */
export async function keptReport(suite: string): Promise<SuiteReport | undefined> {
  return readFile(reportFile(suite), "utf8").then(
    (text) => JSON.parse(text) as SuiteReport,
    () => undefined,
  );
}
