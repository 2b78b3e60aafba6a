/** `npm run compat`: runs every comparison with real Velero and real Kubernetes and writes docs/compatibility.md. A row that fails turns it red. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { describeIgnored, ignoredInBackups } from "../peers/differential/ignored-paths.ts";
import { type Area, areas } from "./areas.ts";

interface Assertion {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: "passed" | "failed" | string;
}

interface Report {
  readonly testResults: readonly { readonly name: string; readonly assertionResults: readonly Assertion[] }[];
}

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "jibe-compat-"));
const reportFile = join(folder, "report.json");
const places = [
  "tests/peers",
  "packages/jibe",
  "examples",
  "packages/plugin-sdk",
  "packages/go-plugin",
  "packages/engine",
];
spawnSync(
  process.execPath,
  [
    "node_modules/vitest/vitest.mjs",
    "run",
    ...places,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${reportFile}`,
  ],
  { cwd: root, stdio: "inherit", env: { ...process.env, JIBE_TIER: "peers" } },
);
const report = JSON.parse(readFileSync(reportFile, "utf8")) as Report;
rmSync(folder, { recursive: true });

const tables = areas.map((area) => ({ area, rows: rowsOf(area) }));
const failed = tables.flatMap(({ rows }) => rows).filter(({ isEqual }) => !isEqual);
const total = tables.reduce((sum, { rows }) => sum + rows.length, 0);
writeFileSync(join(root, "docs/compatibility.md"), page());
console.log(`docs/compatibility.md: ${total} rows, ${failed.length} failed`);
process.exitCode = failed.length > 0 || total < 80 ? 1 : 0;

function rowsOf({ files, heading }: Area): { readonly what: string; readonly isEqual: boolean }[] {
  return report.testResults
    .filter(({ name }) => files.test(relative(root, name)))
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(
      ({ ancestorTitles, status }) =>
        status !== "skipped" && (!heading || ancestorTitles.some((title) => heading.test(title))),
    )
    .map(({ title, status }) => ({ what: title, isEqual: status === "passed" }));
}

function page(): string {
  const lines = [
    "# Compatibility",
    "",
    `Written by \`npm run compat\` from a run with real Velero 1.18.3, real kube-apiserver 1.36.3 and Go plugins: ${total} comparisons. To add one, put a file`,
    "into `tests/peers/differential/backup-specs` or `restore-specs` (its README says how).",
    "",
  ];
  for (const { area, rows } of tables) {
    lines.push(`## ${area.title}`, "", area.about, "", "| what | |", "|---|---|");
    lines.push(
      ...rows.map(({ what, isEqual }) => `| ${what.replaceAll("|", "\\|")} | ${isEqual ? "equal" : "**differs**"} |`),
      "",
    );
  }
  lines.push(
    "## What differs on purpose",
    "",
    "See [coming from Velero](guide/coming-from-velero.md), [backups](engine/backup.md) and [restores](engine/restore.md).",
    "",
  );
  lines.push("## What is not compared", "", "```text", describeIgnored(ignoredInBackups).trimEnd(), "```", "");
  lines.push(
    "## What is missing",
    "",
    "CSI snapshots, data movement, file-system backup of pod volumes; `Restore.spec.resourcePolicy`; filter policies of a namespace or of the cluster.",
    "",
  );
  return lines.join("\n");
}
