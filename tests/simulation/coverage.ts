import type { SimulationReport } from "./simulate.ts";
import { callFaults, type FaultKind, worldFaults } from "./weather.ts";

type Counted = Pick<SimulationReport, "faults" | "transitions" | "steps">;

const waiting = "WaitingForPluginOperations";
const waitingPartial = "WaitingForPluginOperationsPartiallyFailed";

/** The ways from phase to phase that backups and restores share. */
const sharedTransitions = [
  `InProgress -> ${waiting}`,
  `InProgress -> ${waitingPartial}`,
  "InProgress -> Finalizing",
  "InProgress -> FinalizingPartiallyFailed",
  "InProgress -> Failed",
  `${waiting} -> ${waitingPartial}`,
  `${waiting} -> Finalizing`,
  `${waiting} -> FinalizingPartiallyFailed`,
  `${waiting} -> Failed`,
  `${waitingPartial} -> FinalizingPartiallyFailed`,
  `${waitingPartial} -> Failed`,
  "Finalizing -> Completed",
  "FinalizingPartiallyFailed -> PartiallyFailed",
];

const wantedTransitions = [
  ...sharedTransitions.flatMap((transition) => [`backup ${transition}`, `restore ${transition}`]),
  "backup New -> ReadyToStart",
  "backup ReadyToStart -> InProgress",
  "restore New -> InProgress",
];

const wantedFaults: readonly FaultKind[] = [...callFaults, ...worldFaults];

/** What should have happened over all runs and did not. */
export function coverageGaps(reports: readonly Counted[]): string[] {
  const faults = sum(reports.map((report) => report.faults));
  const transitions = sum(reports.map((report) => report.transitions));
  return [
    ...wantedFaults.filter((fault) => !faults.has(fault)).map((fault) => `fault ${fault}`),
    ...wantedTransitions.filter((transition) => !transitions.has(transition)).map((one) => `transition ${one}`),
  ];
}

export function coverageTable(reports: readonly Counted[]): string[] {
  const lines = (counts: ReadonlyMap<string, number>) =>
    [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => `  ${String(count).padStart(7)}  ${name}`);
  return [
    `steps: ${reports.reduce((all, { steps }) => all + steps, 0)}`,
    "faults:",
    ...lines(sum(reports.map((report) => report.faults))),
    "transitions:",
    ...lines(sum(reports.map((report) => report.transitions))),
  ];
}

function sum<K extends string>(counts: readonly ReadonlyMap<K, number>[]): Map<K, number> {
  const all = new Map<K, number>();
  for (const each of counts) for (const [key, count] of each) all.set(key, (all.get(key) ?? 0) + count);
  return all;
}
