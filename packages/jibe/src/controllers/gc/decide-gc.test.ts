import { expect, test } from "vitest";
import type { Backup, BackupStorageLocation, DeleteBackupRequest } from "../../api/resources.ts";
import { decideGc, type GcDecision } from "./decide-gc.ts";

const now = new Date("2026-03-01T12:00:00Z");
const backup = (expiration?: string): Backup => ({
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name: "daily" },
  spec: {},
  status: expiration === undefined ? {} : { expiration },
});
const location = (
  changes: Partial<BackupStorageLocation["spec"]> = {},
  phase = "Available",
): BackupStorageLocation => ({
  apiVersion: "velero.io/v1",
  kind: "BackupStorageLocation",
  metadata: { name: "default" },
  spec: { provider: "aws", ...changes },
  status: { phase: phase as "Available" },
});
const request = (phase?: "New" | "InProgress" | "Processed"): DeleteBackupRequest => ({
  apiVersion: "velero.io/v1",
  kind: "DeleteBackupRequest",
  metadata: { name: "daily-x" },
  spec: { backupName: "daily" },
  ...(phase ? { status: { phase } } : {}),
});
const expired = backup("2026-03-01T11:59:59Z");

const cases: Record<string, [Parameters<typeof decideGc>, GcDecision]> = {
  "keeps a backup without an end": [[backup(), location(), [], now], { kind: "keep" }],
  "keeps one whose time is not over, and looks again then": [
    [backup("2026-03-01T12:00:01Z"), location(), [], now],
    { kind: "keep", untilMs: Date.parse("2026-03-01T12:00:01Z") },
  ],
  "deletes at the very moment": [[backup("2026-03-01T12:00:00Z"), location(), [], now], { kind: "delete" }],
  "is blocked without a location": [[expired, undefined, [], now], { kind: "blocked", reason: "BSLNotFound" }],
  "is blocked by a read-only location": [
    [expired, location({ accessMode: "ReadOnly" }), [], now],
    { kind: "blocked", reason: "BSLReadOnly" },
  ],
  "tries again when the location is unavailable": [[expired, location({}, "Unavailable"), [], now], { kind: "retry" }],
  "asks once: a request without a phase is pending": [[expired, location(), [request()], now], { kind: "pending" }],
  "asks once: a request at work is pending": [[expired, location(), [request("InProgress")], now], { kind: "pending" }],
  "asks again after a request that failed": [[expired, location(), [request("Processed")], now], { kind: "delete" }],
};
for (const [name, [given, want]] of Object.entries(cases)) {
  test(`decideGc ${name}`, () => expect(decideGc(...given)).toEqual(want));
}
