import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually, namespace } from "@jibe/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { coreTypes, veleroTypes } from "../../packages/jibe/src/api/index.ts";
import { ProductWorld, patiently, type RunningServer } from "./product/product-world.ts";

describe("runs that last", { timeout: 90_000 }, () => {
  let world: ProductWorld;
  let server: RunningServer;
  beforeAll(async () => {
    world = await ProductWorld.start();
    server = await world.startServer();
    await world.addLocation();
    await world.untilPhase("backupStorageLocation", "default", ["Available"]);
    await world.deployHeld("held", "execute");
    await world.release("held");
    await world.jibe("backup", "create", "source", "--include-namespaces=held", "--wait");
  }, 120_000);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  const reached = (name: string) => eventually(() => existsSync(world.held(`reached-${name}`)), patiently);

  test("cancels a backup while an action works on an item", async () => {
    await world.deployHeld("slow", "execute");
    await world.jibe("backup", "create", "slow", "--include-namespaces=slow");
    await reached("slow");
    const { exitCode, out } = await world.jibe("backup", "cancel", "slow", "--wait");
    expect({ exitCode, out }).toMatchObject({ exitCode: 0, out: expect.stringContaining("Failed") });
    const { status } = await world.untilPhase("backup", "slow", ["Failed"]);
    expect(status).toMatchObject({ failureReason: "Canceled by user", completionTimestamp: expect.any(String) });
  });

  test("cancels a backup that waits for an operation", async () => {
    await world.deployHeld("waiting", "operation");
    await world.jibe("backup", "create", "waiting", "--include-namespaces=waiting");
    await world.untilPhase("backup", "waiting", ["WaitingForPluginOperations"]);
    await world.jibe("backup", "cancel", "waiting");
    const { status } = await world.untilPhase("backup", "waiting", ["Failed"]);
    expect(status).toMatchObject({ failureReason: "Canceled by user", backupItemOperationsFailed: 1 });
    expect(existsSync(world.held("canceled-op-waiting"))).toBe(true);
    const again = await world.jibe("backup", "cancel", "waiting");
    expect(again).toMatchObject({ exitCode: 1, err: expect.stringContaining("already ended: Failed") });
  });

  test("cancels a restore while an action works on an item", async () => {
    await world.retain("held");
    await world.jibe("restore", "create", "back", "--from-backup=source", "--namespace-mappings=held:other");
    await world.untilPhase("restore", "back", ["InProgress"]);
    await reached("held");
    await world.jibe("restore", "cancel", "back");
    const { status } = await world.untilPhase("restore", "back", ["Failed"]);
    expect(status).toMatchObject({ failureReason: "Canceled by user" });
    const { out } = await world.jibe("restore", "logs", "back");
    expect(out).toMatch(/level=error msg="restore failed" error="Canceled by user"/);
    await world.release("held");
  });

  test("cancels a backup that is being finalized, though its plugin hangs", async () => {
    await world.deployHeld("final", "finalizing");
    await world.jibe("backup", "create", "final", "--include-namespaces=final");
    await world.untilPhase("backup", "final", ["WaitingForPluginOperations"]);
    const archive = join(world.dir, "store", "bucket", "backups", "final", "final.tar.gz");
    const before = await readFile(archive);
    await world.release("final");
    await eventually(() => existsSync(world.held("finalizing-final")), patiently);
    const { exitCode, err } = await world.jibe("backup", "cancel", "final", "--wait");
    expect({ exitCode, err }).toMatchObject({ exitCode: 0, err: expect.stringContaining("Canceled by user") });
    const { status } = await world.untilPhase("backup", "final", ["Failed"]);
    expect(status).toMatchObject({ failureReason: "Canceled by user", backupItemOperationsCompleted: 1 });
    expect(await readFile(archive)).toEqual(before);
    const { out } = await world.jibe("backup", "logs", "final");
    expect(out).toMatch(/msg="backup failed".*reason="Canceled by user"/);
  });

  test("cancels a restore that is being finalized, though a pod never gets to run its hook", async () => {
    await world.create(coreTypes.namespace, namespace("hooked"));
    const hook = { command: '["/bin/true"]', container: "main", "wait-timeout": "1h" };
    const annotations = Object.fromEntries(
      Object.entries(hook).map(([key, value]) => [`post.hook.restore.velero.io/${key}`, value]),
    );
    const containers = [{ name: "main", image: "example.io/app" }];
    const metadata = { name: "web", namespace: "hooked", annotations };
    await world.create(coreTypes.pod, { apiVersion: "v1", kind: "Pod", metadata, spec: { containers } });
    await world.jibe("backup", "create", "hooked", "--include-namespaces=hooked", "--wait");
    await world.jibe("restore", "create", "hooked", "--from-backup=hooked", "--namespace-mappings=hooked:again");
    await world.untilPhase("restore", "hooked", ["Finalizing"]);
    expect(await world.jibe("restore", "cancel", "hooked", "--wait")).toMatchObject({ exitCode: 0 });
    const { status } = await world.untilPhase("restore", "hooked", ["Failed"]);
    expect(status).toMatchObject({ failureReason: "Canceled by user" });
    const { out } = await world.jibe("restore", "logs", "hooked");
    expect(out).toMatch(/msg="restore failed".*reason="Canceled by user"/);
  });

  test("says so when a backup came to its end before it could be canceled", async () => {
    const elsewhere = "no-server-here"; // the test plays it
    await world.create(coreTypes.namespace, namespace(elsewhere));
    const head = { apiVersion: "velero.io/v1", kind: "Backup", metadata: { name: "fast", namespace: elsewhere } };
    await world.create(veleroTypes.backup, { ...head, spec: {}, status: { phase: "Finalizing" } });
    const cancel = world.start("backup", "cancel", "fast", "--wait", `--namespace=${elsewhere}`);
    const isAsked = async () =>
      (await world.find("backup", "fast", elsewhere))?.metadata.annotations?.["jibe.io/cancel"] === "true";
    await eventually(isAsked, patiently);
    const end = { name: "fast", patch: { status: { phase: "Completed" } }, contentType: "merge" } as const;
    await world.client.patch(veleroTypes.backup, { namespace: elsewhere, ...end }, world.scope);
    expect(await cancel.ended).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('backup "fast" came to its end before it could be canceled: Completed'),
    });
  });

  test("follows the log of a backup while it runs", async () => {
    await world.deployHeld("followed", "execute");
    await world.jibe("backup", "create", "followed", "--include-namespaces=followed");
    await reached("followed");
    const logs = world.start("backup", "logs", "followed", "--follow");
    await eventually(() => logs.output().includes("held by the backup action"), patiently);
    expect(logs.output()).not.toContain("Backed up a total of");
    await world.release("followed");
    const { exitCode, out } = await logs.ended;
    expect({ exitCode, lines: out.match(/Backed up a total of/g)?.length }).toEqual({ exitCode: 0, lines: 1 });
    expect(out.match(/held by the backup action/g)).toHaveLength(1);
    expect((await world.jibe("backup", "logs", "followed")).out).toBe(out);
  });

  test("follows the log of a restore, with the lines of its plugins", async () => {
    await world.retain("held");
    await world.jibe("restore", "create", "follow", "--from-backup=source", "--namespace-mappings=held:third");
    await reached("held");
    const logs = world.start("restore", "logs", "follow", "-f");
    await eventually(() => logs.output().includes("held by the restore action"), patiently);
    await world.release("held");
    const { out } = await logs.ended;
    expect(out).toContain("plugin=example.io/held-restore");
    expect(out).toContain("restore completed");
  });

  test("tells the wave and the item that a restore is at, until it has ended", async () => {
    await world.retain("held");
    await world.jibe("restore", "create", "told", "--from-backup=source", "--namespace-mappings=held:fourth");
    await reached("held");
    const place = async () => (await world.find("restore", "told"))?.metadata.annotations?.["jibe.io/run-place"];
    await eventually(async () => (await place()) === "wave configmaps: held/held", patiently);
    const watch = world.start("restore", "watch", "told");
    await eventually(() => /^InProgress: .* items.*, wave configmaps: held\/held$/m.test(watch.output()), patiently);
    await world.release("held");
    expect(await watch.ended).toMatchObject({ exitCode: 0 });
    expect(await place()).toBeUndefined();
  });

  test("goes on once an operation has ended", async () => {
    await world.deployHeld("later", "operation");
    const backup = world.start("backup", "create", "later", "--include-namespaces=later", "--wait");
    await world.untilPhase("backup", "later", ["WaitingForPluginOperations"]);
    await world.release("later");
    expect(await backup.ended).toMatchObject({ exitCode: 0 });
    const { out } = await world.jibe("backup", "describe", "later", "--details");
    expect(out).toMatch(/Operation for configmaps later\/later:\n(.*\n)* +Phase: +Completed/);
    const series = 'jibe_operations_ended_total{run="backup",plugin="example.io/held-backup",outcome="Completed"}';
    expect((await server.get("/metrics")).text).toContain(series);
  });

  test("deletes a backup that waits, after canceling its operation", async () => {
    await world.deployHeld("gone", "operation");
    await world.jibe("backup", "create", "gone", "--include-namespaces=gone");
    await world.untilPhase("backup", "gone", ["WaitingForPluginOperations"]);
    await world.jibe("backup", "delete", "gone", "--confirm");
    await eventually(async () => (await world.find("backup", "gone")) === undefined, patiently);
    expect(existsSync(world.held("canceled-op-gone"))).toBe(true);
  });

  /** A restore that waits for its operation, of a backup whose own has ended. */
  async function waitingRestore(name: string): Promise<void> {
    await world.deployHeld(name, "operation");
    await world.release(name);
    await world.jibe("backup", "create", name, `--include-namespaces=${name}`, "--wait");
    await world.retain(name);
    const mapping = `--namespace-mappings=${name}:${name}-copy`;
    await world.jibe("restore", "create", name, `--from-backup=${name}`, mapping);
    await world.untilPhase("restore", name, ["WaitingForPluginOperations"]);
    expect(existsSync(world.held(`canceled-op-${name}`))).toBe(false);
  }

  test("cancels a restore that waits for an operation", async () => {
    await waitingRestore("halted");
    expect(await world.jibe("restore", "cancel", "halted", "--wait")).toMatchObject({ exitCode: 0 });
    const { status } = await world.untilPhase("restore", "halted", ["Failed"]);
    expect(status).toMatchObject({ failureReason: "Canceled by user", restoreItemOperationsFailed: 1 });
    expect(existsSync(world.held("canceled-op-halted"))).toBe(true);
  });

  test("deletes a restore that waits, after canceling its operation", async () => {
    await waitingRestore("undone");
    const files = join(world.dir, "store", "bucket", "restores", "undone");
    expect(existsSync(files)).toBe(true);
    await world.jibe("restore", "delete", "undone", "--confirm");
    await eventually(async () => (await world.find("restore", "undone")) === undefined, patiently);
    expect(existsSync(world.held("canceled-op-undone"))).toBe(true);
    expect(existsSync(files)).toBe(false);
  });
});
