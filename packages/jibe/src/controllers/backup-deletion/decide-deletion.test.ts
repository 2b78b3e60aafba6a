import { expect, test } from "vitest";
import type { Backup, BackupStorageLocation, DeleteBackupRequest } from "../../api/resources.ts";
import { type DeletionDecision, decideDeletion } from "./decide-deletion.ts";

const now = new Date("2026-03-02T00:00:00Z");
const api = { apiVersion: "velero.io/v1" } as const;
const request = (backupName = "daily", status?: DeleteBackupRequest["status"], created = "2026-03-01T23:00:00Z") => ({
  ...api,
  kind: "DeleteBackupRequest",
  metadata: { name: "daily-x", creationTimestamp: created },
  spec: { backupName },
  ...(status ? { status } : {}),
});
const backup = (phase?: NonNullable<Backup["status"]>["phase"]): Backup => ({
  ...api,
  kind: "Backup",
  metadata: { name: "daily" },
  spec: { storageLocation: "main" },
  status: phase ? { phase } : {},
});
const location = (
  accessMode?: "ReadOnly",
  phase: "Available" | "Unavailable" = "Available",
): BackupStorageLocation => ({
  ...api,
  kind: "BackupStorageLocation",
  metadata: { name: "main" },
  spec: { provider: "aws", ...(accessMode ? { accessMode } : {}) },
  status: { phase },
});
const facts = { backup: backup("Completed"), location: location(), now, isRunning: false };
const inProgress = "backup is still in progress; cancel it first, or wait for its end";
const refusal = (reason: string): DeletionDecision => ({
  kind: "refuse",
  reason: `backup deletion failed: ${reason}`,
});

const cases: Record<string, [DeleteBackupRequest, Parameters<typeof decideDeletion>[1], DeletionDecision]> = {
  "deletes what has ended": [request(), facts, { kind: "delete" }],
  "deletes what waits for operations": [
    request(),
    { ...facts, backup: backup("WaitingForPluginOperations") },
    { kind: "delete" },
  ],
  "goes on with a request that a server left in the middle": [
    request("daily", { phase: "InProgress" }),
    { ...facts, backup: backup("Deleting") },
    { kind: "delete" },
  ],
  "forgets a request whose backup went just before the server did": [
    request("daily", { phase: "InProgress" }),
    { ...facts, backup: undefined },
    { kind: "forget" },
  ],
  "keeps an answered request for a day": [
    request("daily", { phase: "Processed" }),
    facts,
    { kind: "ignore", againInMs: 23 * 3_600_000 },
  ],
  "forgets an answered request after a day": [
    request("daily", { phase: "Processed" }, "2026-03-01T00:00:00Z"),
    facts,
    { kind: "forget" },
  ],
  "refuses a request without a name": [request(""), facts, refusal("spec.backupName is required")],
  "refuses an unknown backup": [request(), { ...facts, backup: undefined }, refusal("backup not found")],
  "refuses a backup at work": [request(), { ...facts, backup: backup("InProgress") }, refusal(inProgress)],
  "refuses a backup that this server still runs": [request(), { ...facts, isRunning: true }, refusal(inProgress)],
  "refuses without a location": [
    request(),
    { ...facts, location: undefined },
    refusal("backup storage location main not found"),
  ],
  "refuses in a read-only location": [
    request(),
    { ...facts, location: location("ReadOnly") },
    refusal("cannot delete backup because backup storage location main is currently in read-only mode"),
  ],
  "refuses in an unavailable location": [
    request(),
    { ...facts, location: location(undefined, "Unavailable") },
    refusal("cannot delete backup because backup storage location main is currently unavailable"),
  ],
};
for (const [name, [asked, known, want]] of Object.entries(cases)) {
  test(`decideDeletion ${name}`, () => expect(decideDeletion(asked, known)).toEqual(want));
}
