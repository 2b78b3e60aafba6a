import { systemClock } from "@jibe/base";
import { testScope } from "@jibe/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { veleroTypes } from "../../api/resource-types.ts";
import type { BackupStorageLocation, DeleteBackupRequest, Restore } from "../../api/resources.ts";
import { ClaimedRun } from "../claimed-run.ts";
import { Resources } from "../resources.ts";
import { type SandboxBackups, sandboxBackups } from "../test/sandbox-backups.ts";
import { backupDeletionController } from "./backup-deletion-controller.ts";

const scope = testScope();
const apiVersion = "velero.io/v1";
let world: SandboxBackups;
beforeAll(async () => {
  world = await sandboxBackups(scope);
}, 60_000);
afterAll(() => world[Symbol.asyncDispose]());

test("what a poll has under way does not bring back the phase of a backup that is being deleted", async () => {
  const { cluster, backups } = world;
  const requests = new Resources<DeleteBackupRequest>(cluster, veleroTypes.deleteBackupRequest, "velero");
  const locations = new Resources<BackupStorageLocation>(cluster, veleroTypes.backupStorageLocation, "velero");
  const restores = new Resources<Restore>(cluster, veleroTypes.restore, "velero");
  const location = { apiVersion, kind: "BackupStorageLocation", metadata: { name: "default" } };
  const spec = { provider: "jibe.io/filesystem", objectStorage: { bucket: "bucket" } };
  await locations.create({ ...location, spec, status: { phase: "Available" } }, scope);
  const backup = { apiVersion, kind: "Backup", metadata: { name: "doomed" }, spec: {} };
  const made = await backups.create({ ...backup, status: { phase: "WaitingForPluginOperations" } }, scope);
  const request = { apiVersion, kind: "DeleteBackupRequest", metadata: { name: "away" } };
  await requests.create({ ...request, spec: { backupName: "doomed" } }, scope);
  const poll = await ClaimedRun.adopt(backups, made, { holder: "this-server" }, scope);

  const seen: unknown[] = [];
  const late = async () => {
    const write = poll?.patchStatus({ phase: "WaitingForPluginOperationsPartiallyFailed" }, scope);
    await expect(write).rejects.toMatchObject({ code: "Conflict" });
    seen.push((await backups.get("doomed", scope)).status?.phase);
  };
  const controller = backupDeletionController({
    ...{ requests, locations, restores, backups, clock: systemClock },
    isRunning: () => false,
    cancelOperations: late,
    deleteContents: async () => [],
  });
  await controller.reconcile("away", scope);
  expect(seen).toEqual(["Deleting"]);
  expect(await backups.find("doomed", scope)).toBeUndefined();
});
