import { expect, test } from "vitest";
import { decideRecovery } from "./decide-recovery.ts";

const cases: Record<string, [Parameters<typeof decideRecovery>[0], ReturnType<typeof decideRecovery>]> = {
  "runs it again": [{ kind: "backup", attempts: 1, onRestart: "rerun" }, { kind: "rerun" }],
  "runs it a third time": [{ kind: "restore", attempts: 2, onRestart: "rerun" }, { kind: "rerun" }],
  "gives up after the third": [
    { kind: "restore", attempts: 3, onRestart: "rerun" },
    { kind: "fail", reason: "the server ended 3 times while it ran this restore; it is given up" },
  ],
  "fails it in Velero's words when told to": [
    { kind: "backup", attempts: 1, onRestart: "fail" },
    {
      kind: "fail",
      reason: 'found a backup with status "InProgress" during the server starting, mark it as "Failed"',
    },
  ],
};
for (const [name, [given, want]] of Object.entries(cases)) {
  test(`decideRecovery ${name}`, () => expect(decideRecovery(given)).toEqual(want));
}
