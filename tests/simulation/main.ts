import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { coverageGaps, coverageTable, unknownTransitions } from "./coverage.ts";
import { type Planted, plantedBugs } from "./planted-bugs.ts";
import { type SimulationReport, simulate } from "./simulate.ts";

// Runs seeds one after the other:  node tests/simulation/main.ts --seeds 300 [--from 1]
// Replays one, with every step:    node tests/simulation/main.ts --seed 17
// Shows that a bug is found:       node tests/simulation/main.ts --seeds 50 --plant lease-ignored
const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seeds: { type: "string", default: "300" },
    from: { type: "string", default: "1" },
    plant: { type: "string" },
  },
});
const write = (text: string) => void process.stdout.write(`${text}\n`);

function plantedBug(): Planted | undefined {
  const found = plantedBugs.find((name) => name === values.plant);
  if (values.plant !== undefined && !found) throw new Error(`--plant takes ${plantedBugs.join(", ")}`);
  return found;
}

async function replay(seed: number): Promise<number> {
  const report = await simulate({ seed, planted: plantedBug() });
  for (const line of report.trace) write(line);
  write(`trace ${createHash("sha256").update(report.trace.join("\n")).digest("hex")}`);
  for (const violation of report.violations) write(`VIOLATION ${violation}`);
  return report.violations.length === 0 ? 0 : 1;
}

async function runSeeds(from: number, count: number): Promise<number> {
  const reports: Omit<SimulationReport, "trace">[] = [];
  for (let seed = from; seed < from + count; seed++) {
    const { trace: _long, ...report } = await simulate({ seed, planted: plantedBug() });
    reports.push(report);
    for (const violation of report.violations) write(`seed ${seed}: VIOLATION ${violation}`);
    if (values.plant !== undefined && report.violations.length > 0) break;
    if (reports.length % 1000 === 0) process.stderr.write(`${reports.length} of ${count} seeds\n`);
  }
  const failed = reports.filter(({ violations }) => violations.length > 0);
  for (const line of coverageTable(reports)) write(line);
  const gaps = values.plant === undefined ? coverageGaps(reports) : [];
  for (const gap of gaps) write(`NOT REACHED ${gap}`);
  const unknown = unknownTransitions(reports);
  for (const transition of unknown) write(`UNKNOWN transition ${transition}`);
  write(`${reports.length} seeds, ${failed.length} with violations`);
  return failed.length + gaps.length + unknown.length === 0 ? 0 : 1;
}

// The stepper ends when nothing is left to do, and so would the process: the exit code is set as soon as it is known.
process.exitCode = 3;
process.exitCode = await (values.seed === undefined
  ? runSeeds(Number(values.from), Number(values.seeds))
  : replay(Number(values.seed)));
