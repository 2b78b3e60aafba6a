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
  "Finalizing -> Failed",
  "FinalizingPartiallyFailed -> PartiallyFailed",
  "FinalizingPartiallyFailed -> Failed",
];

const wantedTransitions = [
  ...sharedTransitions.flatMap((transition) => [`backup ${transition}`, `restore ${transition}`]),
  "backup New -> Queued",
  "backup New -> ReadyToStart",
  "backup Queued -> ReadyToStart",
  "backup ReadyToStart -> InProgress",
  "backup Completed -> Deleting",
  "backup PartiallyFailed -> Deleting",
  "backup Failed -> Deleting",
  `backup ${waiting} -> Deleting`,
  "backup Deleting -> gone",
  "deletion New -> InProgress",
  "deletion New -> Processed",
  "deletion InProgress -> Processed",
  "deletion InProgress -> gone",
  "restore New -> InProgress",
  "restore Failed -> gone",
  `restore ${waiting} -> gone`,
  "restore Completed -> gone",
];

/** Others that are right, and too rare to be met in every few hundred runs. */
const rareTransitions = new Set([
  ...["New", "Queued", "ReadyToStart"].map((phase) => `backup ${phase} -> Failed`),
  "backup New -> Deleting",
  "backup ReadyToStart -> FailedValidation",
  "backup Finalizing -> PartiallyFailed",
  "backup FailedValidation -> Deleting",
  `backup ${waitingPartial} -> Deleting`,
  "deletion New -> gone",
  "deletion Processed -> gone",
  ...["Failed", "FailedValidation"].map((phase) => `restore New -> ${phase}`),
  "restore Finalizing -> PartiallyFailed",
  ...["New", "InProgress", waitingPartial].map((phase) => `restore ${phase} -> gone`),
  ...["Finalizing", "FinalizingPartiallyFailed", "PartiallyFailed", "FailedValidation"].map(
    (phase) => `restore ${phase} -> gone`,
  ),
]);

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

/** What happened and should not: ways from phase to phase that nobody knows of. */
export function unknownTransitions(reports: readonly Counted[]): string[] {
  const known = new Set([...wantedTransitions, ...rareTransitions]);
  return [...sum(reports.map(({ transitions }) => transitions)).keys()].filter((one) => !known.has(one));
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
