import { expect, test } from "vitest";
import type { Backup, BackupPhase } from "../../api/resources.ts";
import { decideQueue, type QueueChange } from "./decide-queue.ts";

const backup = (
  name: string,
  phase: BackupPhase | undefined,
  namespaces: string[],
  queuePosition?: number,
): Backup => ({
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name, creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: { includedNamespaces: namespaces },
  status: { ...(phase ? { phase } : {}), ...(queuePosition ? { queuePosition } : {}) },
});
const namespacesOf = ({ spec }: Backup) => new Set(spec.includedNamespaces);

const cases: Record<string, { backups: Backup[]; limit?: number; want: QueueChange[] }> = {
  "a new backup starts at once when there is room": {
    backups: [backup("a", undefined, ["x"])],
    want: [{ name: "a", phase: "ReadyToStart", queuePosition: 0 }],
  },
  "one that shares a namespace with a running one waits": {
    backups: [backup("a", "InProgress", ["x"]), backup("b", "New", ["x", "y"])],
    want: [{ name: "b", phase: "Queued", queuePosition: 1 }],
  },
  "one that shares nothing overtakes one that waits": {
    backups: [backup("a", "InProgress", ["x"]), backup("b", "Queued", ["x"], 1), backup("c", undefined, ["z"])],
    want: [{ name: "c", phase: "ReadyToStart", queuePosition: 0 }],
  },
  "one that shares a namespace with an earlier waiting one waits behind it": {
    backups: [backup("a", "InProgress", ["x"]), backup("b", "Queued", ["x", "y"], 1), backup("c", undefined, ["y"])],
    want: [{ name: "c", phase: "Queued", queuePosition: 2 }],
  },
  "no more start than may run": {
    backups: [backup("a", undefined, ["x"]), backup("b", undefined, ["y"]), backup("c", undefined, ["z"])],
    limit: 2,
    want: [
      { name: "a", phase: "ReadyToStart", queuePosition: 0 },
      { name: "b", phase: "ReadyToStart", queuePosition: 0 },
      { name: "c", phase: "Queued", queuePosition: 1 },
    ],
  },
  "those that stay move up when the first starts": {
    backups: [backup("b", "Queued", ["x"], 1), backup("c", "Queued", ["x"], 2)],
    want: [
      { name: "b", phase: "ReadyToStart", queuePosition: 0 },
      { name: "c", phase: "Queued", queuePosition: 1 },
    ],
  },
  "nothing changes when everything is in place": {
    backups: [backup("a", "InProgress", ["x"]), backup("b", "Queued", ["x"], 1), backup("done", "Completed", ["x"])],
    want: [],
  },
};
for (const [name, { backups, limit = 4, want }] of Object.entries(cases)) {
  test(`queue: ${name}`, () => expect(decideQueue({ backups, concurrentBackups: limit, namespacesOf })).toEqual(want));
}
