import { expect, test } from "vitest";
import { isEnded, phaseAfterFinalizing, phaseAfterItems, phaseAfterPoll, tallyOf } from "./next-phase.ts";

test("every pair of errors and running operations has its phase after the items", () => {
  expect([
    phaseAfterItems({ errors: 0, running: 0 }),
    phaseAfterItems({ errors: 0, running: 2 }),
    phaseAfterItems({ errors: 1, running: 0 }),
    phaseAfterItems({ errors: 1, running: 2 }),
  ]).toEqual([
    "Finalizing",
    "WaitingForPluginOperations",
    "FinalizingPartiallyFailed",
    "WaitingForPluginOperationsPartiallyFailed",
  ]);
});

const waits = ["WaitingForPluginOperations", "WaitingForPluginOperationsPartiallyFailed"] as const;
const polls: Record<string, readonly [(typeof waits)[number], number, number, string]> = {
  "waits on while an operation runs": [waits[0], 1, 0, waits[0]],
  "remembers a failure while others run": [waits[0], 1, 1, waits[1]],
  "keeps remembering": [waits[1], 1, 0, waits[1]],
  "keeps remembering with another failure": [waits[1], 1, 1, waits[1]],
  "goes on to finalizing": [waits[0], 0, 0, "Finalizing"],
  "goes on to finalizing with the last one's failure": [waits[0], 0, 1, "FinalizingPartiallyFailed"],
  "remembers a failure until the end": [waits[1], 0, 0, "FinalizingPartiallyFailed"],
  "remembers every failure until the end": [waits[1], 0, 3, "FinalizingPartiallyFailed"],
};
for (const [name, [phase, running, newFailures, want]] of Object.entries(polls)) {
  test(`phaseAfterPoll ${name}`, () => expect(phaseAfterPoll(phase, { running, newFailures })).toBe(want));
}

test("finalizing ends by what was remembered and what it met itself", () => {
  expect([
    phaseAfterFinalizing("Finalizing", { newErrors: 0 }),
    phaseAfterFinalizing("Finalizing", { newErrors: 1 }),
    phaseAfterFinalizing("FinalizingPartiallyFailed", { newErrors: 0 }),
    phaseAfterFinalizing("FinalizingPartiallyFailed", { newErrors: 1 }),
  ]).toEqual(["Completed", "PartiallyFailed", "PartiallyFailed", "PartiallyFailed"]);
});

test("only four phases are ends", () => {
  expect(["FailedValidation", "Completed", "PartiallyFailed", "Failed"].every(isEnded)).toBe(true);
  expect(
    [undefined, "New", "Queued", "ReadyToStart", "InProgress", "Deleting", ...waits, "Finalizing"].some(isEnded),
  ).toBe(false);
});

test("operations are counted by how they stand", () => {
  const statuses = ["New", "InProgress", "Completed", "Failed", "Failed"] as const;
  expect(tallyOf(statuses.map((phase) => ({ status: { phase } })))).toEqual({ running: 2, completed: 1, failed: 2 });
});
