import { expect, test } from "vitest";
import type { Backup } from "../../api/resources.ts";
import { ProgressMeter } from "./run-progress.ts";

const backup = (itemsBackedUp: number): Backup => ({
  apiVersion: "velero.io/v1",
  kind: "Backup",
  metadata: { name: "b" },
  spec: {},
  status: { phase: "InProgress", progress: { itemsBackedUp, totalItems: 1000 }, backupItemOperationsAttempted: 3 },
});

test("the speed is that of the last seconds", () => {
  const meter = new ProgressMeter("backup", 0);
  expect(meter.look(backup(0), 1000)).toMatchObject({ perSecond: 0, elapsedMs: 1000, total: 1000 });
  expect(meter.look(backup(100), 2000)).toMatchObject({ perSecond: 100, done: 100 });
  expect(meter.look(backup(100), 20_000)).toMatchObject({ perSecond: 0 });
  expect(meter.look(backup(150), 30_000)).toMatchObject({ perSecond: 5, operations: { attempted: 3, ended: 0 } });
});
