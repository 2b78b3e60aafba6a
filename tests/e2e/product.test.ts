import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "@jibe/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { coreTypes, veleroTypes } from "../../packages/jibe/src/api/index.ts";
import type { CommandRun } from "./product/captured-process.ts";
import { ProductWorld, patiently, type RunningServer } from "./product/product-world.ts";

describe("the product on the sandbox", { timeout: 90_000 }, () => {
  let world: ProductWorld;
  let server: RunningServer;
  let created: CommandRun;
  beforeAll(async () => {
    world = await ProductWorld.start();
    server = await world.startServer();
    await world.addLocation();
    await world.deployShop();
    await world.untilPhase("backupStorageLocation", "default", ["Available"]);
    created = await world.jibe("backup", "create", "first", "--include-namespaces=shop", "--wait");
  }, 120_000);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  test("says that the location is available", async () => {
    const { out, exitCode } = await world.jibe("backup-location", "get");
    expect(exitCode).toBe(0);
    expect(out).toMatch(/default +jibe\.io\/filesystem +bucket +Available/);
  });

  test("backs up and waits", () => {
    const { out, err, exitCode } = created;
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(out).toContain('Backup request "first" submitted successfully.');
    expect(out).toContain("Backup completed with status: Completed");
  });

  test("describes what a backup holds", async () => {
    const { out, err } = await world.jibe("backup", "describe", "first", "--details");
    expect(err).toBe("");
    expect(out).toMatch(/^Name: +first$/m);
    expect(out).toMatch(/^Phase: +Completed$/m);
    expect(out).toMatch(/Resource List:\n(.*\n)* +v1\/ConfigMap:\n(.*\n)* +- shop\/settings/);
  });

  test("shows the log of a backup", async () => {
    const { out, exitCode } = await world.jibe("backup", "logs", "first");
    expect(exitCode).toBe(0);
    expect(out).toMatch(/level=info .*backup=velero\/first/);
  });

  test("downloads the archive of a backup", async () => {
    const path = join(world.dir, "first.tar.gz");
    expect(await world.jibe("backup", "download", "first", `--output=${path}`)).toMatchObject({ exitCode: 0 });
    expect((await stat(path)).size).toBeGreaterThan(200);
    const again = await world.jibe("backup", "download", "first", `--output=${path}`);
    expect(again).toMatchObject({ exitCode: 1, err: expect.stringContaining("--force") });
  });

  test("restores into another namespace", async () => {
    const flags = ["--from-backup=first", "--namespace-mappings=shop:copy", "--wait"];
    const { exitCode, out } = await world.jibe("restore", "create", "copied", ...flags);
    expect({ exitCode, out }).toMatchObject({ exitCode: 0, out: expect.stringContaining("Completed") });
    const copy = await world.client.get(coreTypes.configMap, { namespace: "copy", name: "settings" }, world.scope);
    expect(copy.metadata.labels).toMatchObject({ "velero.io/backup-name": "first" });
    expect((await world.jibe("restore", "describe", "copied")).out).toMatch(/^Phase: +Completed$/m);
    expect((await world.jibe("restore", "logs", "copied")).out).toMatch(/restore=velero\/copied/);
  });

  test("runs a schedule when it is due", async () => {
    await world.jibe("schedule", "create", "often", "--schedule=@every 1s", "--include-namespaces=shop");
    const backup = await eventually(
      async () => (await world.list("backup")).find(({ metadata }) => metadata.name.startsWith("often-")),
      { timeoutMs: 60_000 },
    );
    await world.jibe("schedule", "delete", "often", "--confirm");
    const { metadata } = await world.untilPhase("backup", backup.metadata.name, ["Completed"]);
    expect(metadata.labels).toMatchObject({ "velero.io/schedule-name": "often" });
  });

  test("deletes a backup with its files and its restores", async () => {
    await world.jibe("backup", "create", "doomed", "--include-namespaces=shop", "--wait");
    await world.jibe("restore", "create", "again", "--from-backup=doomed", "--wait");
    const { out } = await world.jibe("backup", "delete", "doomed", "--confirm");
    expect(out).toContain('Request to delete backup "doomed" submitted successfully.');
    await eventually(async () => (await world.find("backup", "doomed")) === undefined, patiently);
    expect(await world.find("restore", "again")).toBeUndefined();
    await expect(stat(join(world.dir, "store", "bucket", "backups", "doomed"))).rejects.toThrow(/ENOENT/);
    expect(await world.list("deleteBackupRequest")).toEqual([]);
  });

  test("asks the delete actions of plugins about the items of a backup that is deleted", async () => {
    await world.deployHeld("tidy", "execute");
    await world.release("tidy");
    await world.jibe("backup", "create", "tidied", "--include-namespaces=tidy", "--wait");
    await world.jibe("backup", "delete", "tidied", "--confirm");
    await eventually(async () => (await world.find("backup", "tidied")) === undefined, patiently);
    const pid = await readFile(world.held("deleted-tidy-of-tidied"), "utf8");
    await eventually(() => !existsSync(`/proc/${pid}`), patiently); // its process ends with the deletion
  });

  test("deletes a backup by a request that was written by hand, and the request with it", async () => {
    await world.jibe("backup", "create", "unwanted", "--include-namespaces=shop", "--wait");
    await world.create(veleroTypes.deleteBackupRequest, {
      apiVersion: "velero.io/v1",
      kind: "DeleteBackupRequest",
      metadata: { name: "by-hand", namespace: "velero" },
      spec: { backupName: "unwanted" },
    });
    await eventually(async () => (await world.find("backup", "unwanted")) === undefined, { timeoutMs: 60_000 });
    await eventually(async () => (await world.find("deleteBackupRequest", "by-hand")) === undefined, patiently);
  });

  test("deletes a backup when its time to live is over", async () => {
    const { exitCode } = await world.jibe("backup", "create", "brief", "--include-namespaces=shop", "--ttl=1s");
    expect(exitCode).toBe(0);
    await eventually(async () => (await world.find("backup", "brief")) === undefined, { timeoutMs: 60_000 });
  });
});
