/** Writes the reference of commands, flags, exit codes and metrics to the file that is named. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { commandTable } from "../packages/jibe/src/cli/command-table.ts";
import { exitCode, exitCodeMeanings } from "../packages/jibe/src/cli/exit-code.ts";
import { globalFlags } from "../packages/jibe/src/cli/global-flags.ts";
import { commandSection } from "./reference/command-section.ts";
import { flagTable } from "./reference/flag-table.ts";
import { markdownTable } from "./reference/markdown-table.ts";
import { metricTable } from "./reference/metric-table.ts";

const [file] = process.argv.slice(2);
if (!file) throw new Error("name the file to write");

const entries = commandTable.filter(({ hidden }) => !hidden).sort((a, b) => (a.path < b.path ? -1 : 1));
const commands: string[] = [];
for (const entry of entries) commands.push(commandSection(entry, await entry.load()));

const codes = Object.entries(exitCode).map(([key, code]) => [
  String(code),
  exitCodeMeanings[key as keyof typeof exitCode],
]);
const text = [
  "# Reference",
  "Generated from the code by `npm run generate`: edit the code, not this page.",
  "Contents: [exit codes](#exit-codes), [metrics](#metrics), [global flags](#global-flags), [commands](#commands).",
  "## Exit codes",
  markdownTable(["code", "when"], codes),
  "## Metrics",
  "Served at `/metrics` of `--metrics-address`. Names that begin with `velero_` are Velero's.",
  metricTable(),
  "## Global flags",
  "Every command takes them.",
  flagTable(globalFlags),
  "## Commands",
  ...commands,
].join("\n\n");
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, `${text}\n`);
