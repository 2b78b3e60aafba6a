import { expect, test } from "vitest";
import type { Backup } from "../../api/resources.ts";
import { compareBackups } from "../backup/backup-table.ts";
import type { Output } from "../output.ts";
import { describeBackup } from "./backup.ts";
import { topCauses } from "./results.ts";

const out = { style: (style: string, text: string) => `<${style}>${text}` } as Output;
const backup = (changes: Partial<Backup["status"]> = {}): Backup => ({
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name: "shop", namespace: "velero" },
  spec: { includedNamespaces: ["shop"], storageLocation: "default" },
  status: { phase: "PartiallyFailed", errors: 3, ...changes },
});

test("the causes of a failure come first, grouped", () => {
  const errors = {
    namespaces: {
      shop: [
        ' resource: /pods name: /web-0 message: /Error backing up item error: /cannot reach plugin "a": timed out after 5 s',
        ' resource: /pods name: /web-1 message: /Error backing up item error: /cannot reach plugin "b": timed out after 9 s',
        " resource: /secrets name: /key message: /Error backing up item error: /forbidden",
      ],
    },
  };
  expect(topCauses(errors).map(({ cause, count }) => [count, cause])).toEqual([
    [2, 'cannot reach plugin "…": timed out after N s'],
    [1, "forbidden"],
  ]);
  const text = describeBackup(
    { backup: backup(), files: { results: { errors, warnings: {} } }, deletions: [], details: false },
    out,
  );
  expect(text).toContain("Phase:  <red>PartiallyFailed (run `jibe backup logs shop` for more information)");
  expect(text.indexOf("Top causes of errors:")).toBeLessThan(text.indexOf("\nErrors:"));
});

test("volumes are shown by how they were taken, and those that were not with the reason", () => {
  const volumes = [
    {
      pvName: "pv-1",
      backupMethod: "NativeSnapshot",
      result: "succeeded",
      nativeSnapshotInfo: { snapshotHandle: "snap-1", volumeType: "ssd", volumeAZ: "a", iops: "0" },
    },
    { pvcNamespace: "shop", pvcName: "cache", skipped: true, skippedReason: "policy" },
  ];
  const story = { backup: backup({ phase: "Completed", errors: 0 }), files: { volumes }, deletions: [] };
  expect(describeBackup({ ...story, details: false }, out)).toMatch(
    /pv-1: +specify --details for more information\n(.*\n)* +Skipped Volumes:\n +shop\/cache: +policy/,
  );
  const details = describeBackup({ ...story, details: true }, out);
  expect(details).toMatch(/pv-1:\n +Snapshot ID: +snap-1\n +Type: +ssd\n +Availability Zone: +a\n +IOPS: +<N\/A>/);
});

test("an operation is shown with plugin, item, units, percent, speed, times and error", () => {
  const operations = [
    {
      spec: {
        operationID: "op-1",
        backupItemAction: "example.io/move",
        resourceIdentifier: { Group: "", Resource: "persistentvolumeclaims", Namespace: "shop", Name: "data" },
      },
      status: {
        phase: "InProgress" as const,
        nCompleted: 50,
        nTotal: 200,
        operationUnits: "MB",
        started: "2026-01-01T00:00:00Z",
        updated: "2026-01-01T00:00:10Z",
      },
    },
    {
      spec: {
        operationID: "op-2",
        backupItemAction: "example.io/move",
        resourceIdentifier: { Group: "apps", Resource: "deployments", Namespace: "shop", Name: "web" },
      },
      status: { phase: "Failed" as const, error: "the disk broke" },
    },
  ];
  const waiting = backup({ phase: "WaitingForPluginOperations", errors: 0, backupItemOperationsAttempted: 1 });
  const text = describeBackup({ backup: waiting, files: { operations }, deletions: [], details: true }, out);
  expect(text).toContain("Operation for persistentvolumeclaims shop/data:");
  expect(text).toMatch(/Backup Item Action Plugin: +example.io\/move\n +Operation ID: +op-1\n +Phase: +InProgress/);
  expect(text).toMatch(/Progress: +50 of 200 complete \(MB, 25%, 5.0 MB\/s\)/);
  expect(text).toMatch(/Started: +2026-01-01 .*\n +Updated: +2026-01-01 /);
  expect(text).toMatch(
    /Operation for deployments.apps shop\/web:\n(.*\n){2} +Phase: +Failed\n +Operation Error: +the disk broke/,
  );
});

test("a failed deletion is shown with its errors", () => {
  const deletions = [
    {
      apiVersion: "velero.io/v1",
      kind: "DeleteBackupRequest",
      metadata: { name: "shop-x", creationTimestamp: "2026-01-01T00:00:00Z" },
      spec: { backupName: "shop" },
      status: { phase: "Processed" as const, errors: ["no access"] },
    },
  ];
  const text = describeBackup({ backup: backup(), files: {}, deletions, details: false }, out);
  expect(text).toMatch(/Deletion Attempts \(1 failed\):\n +2026-01-01 00:00:00 \+0000 UTC: Processed\n +no access/);
});

test("backups of a schedule stand newest first", () => {
  const named = (name: string) => ({ ...backup(), metadata: { name } });
  const names = ["b", "nightly-20260101000000", "nightly-20260102000000", "a"].map(named).sort(compareBackups);
  expect(names.map(({ metadata }) => metadata.name)).toEqual([
    "a",
    "b",
    "nightly-20260102000000",
    "nightly-20260101000000",
  ]);
});
