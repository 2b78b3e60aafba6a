/**
 * `npm run compat`: runs every comparison with real Velero and real Kubernetes and writes docs/compatibility.md. A row that fails turns it red.
 * `--only=backups,stores` runs these suites and takes the others from their last run; `--only=` runs none and writes the page again.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readScenarios } from "../peers/differential/scenario-file.ts";
import { readBackupSpecs, readRestoreSpecs } from "../peers/differential/spec-file.ts";
import { compatibilityPage } from "./compatibility-page.ts";
import { differences, missing } from "./declared-rows.ts";
import { faultsOf, sectionsOf } from "./rows.ts";
import { keptReport, runSuite, type SuiteReport } from "./suite-report.ts";
import { suites } from "./suites.ts";

const only = process.argv
  .find((arg) => arg.startsWith("--only="))
  ?.slice("--only=".length)
  .split(",");
const reports: SuiteReport[] = [];
const notRun: string[] = [];
for (const suite of suites) {
  const report = !only || only.includes(suite.name) ? await runSuite(suite) : await keptReport(suite.name);
  if (report) reports.push(report);
  else notRun.push(`suite ${suite.name} was never run here`);
}
const tests = reports.flatMap((report) => report.tests);
const sections = sectionsOf(tests, {
  "backup-specs": readBackupSpecs(),
  "restore-specs": readRestoreSpecs(),
  scenarios: readScenarios(),
});
const faults = [...notRun, ...faultsOf(sections, [...differences, ...missing], tests)];
const dates = [...new Set(reports.map(({ date }) => date))].sort();
const page = compatibilityPage({ sections, differences, missing, dates });
await writeFile(join(import.meta.dirname, "../../docs/compatibility.md"), page);
const rows = sections.reduce((sum, section) => sum + section.rows.length, 0);
console.log(`docs/compatibility.md: ${rows} rows in ${sections.length} areas, ${faults.length} faults`);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
