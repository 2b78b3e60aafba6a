import { readFile, stat, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { messageOf } from "@jibe/base";
import { bodyFromObject } from "@jibe/engine";
import type { Backup, KubernetesObject, Restore } from "@jibe/plugin-sdk/contracts";
import { eventually, type TempDir, tempDir, testScope } from "@jibe/testkit";
import { buildGoProgram, peerProgram, runCommand, startVersitygw } from "@jibe/testkit/peers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PluginHost, startPluginHost } from "./index.ts";

const packages = join(import.meta.dirname, "../../..");
const backup: Backup = { apiVersion: "velero.io/v1", kind: "Backup", metadata: { name: "daily" }, spec: {} };
const restore: Restore = { apiVersion: "velero.io/v1", kind: "Restore", metadata: { name: "again" }, spec: {} };

const item = (annotations: Record<string, string> = {}, more: object = {}): KubernetesObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "shop", annotations },
  ...more,
});
const body = (annotations?: Record<string, string>, more?: object) => bodyFromObject(item(annotations, more));

async function startWith(dir: TempDir, programs: readonly string[], env: Record<string, string> = {}) {
  for (const program of programs) await symlink(program, join(dir.path, basename(program)));
  const settings = { pluginDir: dir.path, env: { ...process.env, ...env }, args: ["--log-level=info"], strict: true };
  return startPluginHost(settings, testScope());
}

async function named<T extends { readonly name: string }>(list: Promise<readonly T[]>, name: string): Promise<T> {
  const found = (await list).find((entry) => entry.name === name);
  if (!found) throw new Error(`no plugin ${name}`);
  return found;
}

async function* repeated(chunk: Uint8Array, times: number) {
  for (let i = 0; i < times; i++) yield chunk;
}

describe("plugins on Velero's own framework", () => {
  let dir: TempDir;
  let state: TempDir;
  let host: PluginHost;
  beforeAll(async () => {
    [dir, state] = [await tempDir("go-plugins"), await tempDir("go-plugin-state")];
    const programs = [
      await buildGoProgram(join(packages, "testkit/go/velero-plugins"), testScope()),
      await buildGoProgram(join(packages, "plugin-sdk/test/go/velero-peer"), testScope()),
      await buildGoProgram(join(packages, "plugin-sdk/test/go/snapshotter-v2"), testScope()),
    ];
    host = await startWith(dir, programs, { PLUGIN_STATE_DIR: state.path });
  }, 600_000);
  afterAll(async () => {
    await host[Symbol.asyncDispose]();
    await dir[Symbol.asyncDispose]();
    await state[Symbol.asyncDispose]();
  });

  test("are found, of every kind", () => {
    const kinds = new Set(host.list().map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual([
      "BackupItemAction",
      "BackupItemActionV2",
      "DeleteItemAction",
      "ItemBlockAction",
      "ObjectStore",
      "RestoreItemAction",
      "RestoreItemActionV2",
      "VolumeSnapshotter",
      "VolumeSnapshotterV2",
    ]);
  });

  test("act on backups, version 1", async () => {
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    const annotate = await named(run.backupActions(), "example.io/bia1-annotate");
    expect(await annotate.appliesTo(scope)).toEqual({ labelSelector: "example.io/bia1=annotate" });
    const { body: changed } = await annotate.execute(body(), backup, scope);
    expect(changed.object.metadata.annotations).toEqual({ "example.io/seen-by": "bia1" });
    const additional = await named(run.backupActions(), "example.io/bia1-additional");
    const sent = body({ "example.io/additional": "deployments.apps/shop/web, namespaces//shop" });
    const result = await additional.execute(sent, backup, scope);
    expect(result.body).toBe(sent);
    expect(result.additionalItems).toEqual([
      { groupResource: "deployments.apps", namespace: "shop", name: "web" },
      { groupResource: "namespaces", name: "shop" },
    ]);
  });

  test("tell errors and panics with their place, and go on", async () => {
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    const fail = await named(run.backupActions(), "example.io/bia1-fail");
    const error = await fail.execute(body(), backup, scope).catch((thrown: unknown) => thrown);
    expect(messageOf(error)).toBe('plugin "example.io/bia1-fail" failed in Execute: this item is refused');
    const panic = await named(run.backupActions(), "example.io/bia1-panic");
    await expect(panic.execute(body(), backup, scope)).rejects.toMatchObject({
      fields: { grpcCode: "ABORTED", "error.file": expect.stringMatching(/backup_actions\.go:\d+$/) },
      cause: { message: expect.stringContaining("this item makes it panic") },
    });
    const [pid] = run.pids();
    await (await named(run.backupActions(), "example.io/bia1-skip")).execute(body(), backup, scope);
    expect(run.pids()).toEqual([pid]);
  });

  test("may exit in a call and are started again", async () => {
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    const exit = await named(run.backupActions(), "example.io/bia1-exit");
    const error = await exit.execute(body(), backup, scope).catch((thrown: unknown) => thrown);
    expect(messageOf(error)).toMatch(
      /"example.io\/bia1-exit" failed in Execute: plugin process .* exited with status 3/,
    );
    await (await named(run.backupActions(), "example.io/bia1-skip")).execute(body(), backup, scope);
  });

  test("start operations that other processes ask about, version 2", async () => {
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    const action = await named(run.backupActions(), "example.io/bia2-operation");
    const asked = body({ "example.io/polls": "2", "example.io/post-operation": "pods/shop/web" });
    const { operationId, itemsToUpdate } = await action.execute(asked, backup, scope);
    expect(operationId).toBe("daily.shop.settings");
    expect(itemsToUpdate).toEqual([{ groupResource: "pods", namespace: "shop", name: "web" }]);
    await run[Symbol.asyncDispose]();
    const polling = await named(host.shared.backupActions(), "example.io/bia2-operation");
    const first = await polling.progress(operationId, backup, scope);
    expect(first).toMatchObject({ completed: false, nCompleted: 1, nTotal: 2, operationUnits: "polls" });
    expect(first.started).toBeInstanceOf(Date);
    expect(await polling.progress(operationId, backup, scope)).toMatchObject({ completed: true });
    await polling.cancel(operationId, backup, scope);
    await expect(polling.progress("none", backup, scope)).rejects.toMatchObject({ code: "Internal" });
  });

  test("say in Velero's own words that an operation is unknown or that there are none", async () => {
    const scope = testScope();
    const noop = await named(host.shared.backupActions(), "example.io/no-op");
    await expect(noop.progress("unknown", backup, scope)).rejects.toMatchObject({
      code: "InvalidArgument",
      fields: { operationId: "unknown" },
    });
    await expect(noop.progress("none", backup, scope)).rejects.toMatchObject({ code: "Unsupported" });
  });

  test("act on restores, both versions", async () => {
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    const input = { body: body(), bodyFromBackup: body(), restore };
    const skip = await named(run.restoreActions(), "example.io/ria1-skip");
    expect(await skip.execute(input, scope)).toMatchObject({ skipRestore: true, operationId: "" });
    const wait = await named(run.restoreActions(), "example.io/ria2-wait");
    const annotations = {
      "example.io/additional": "secrets/shop/key",
      "example.io/ready-after": "1",
      "example.io/ready-timeout": "1m30s",
    };
    const output = await wait.execute({ ...input, body: body(annotations) }, scope);
    expect(output).toMatchObject({ waitForAdditionalItems: true, additionalItemsReadyTimeoutMs: 90_000 });
    expect(await wait.areAdditionalItemsReady(output.additionalItems, restore, scope)).toBe(false);
    expect(await wait.areAdditionalItemsReady(output.additionalItems, restore, scope)).toBe(true);
    const operation = await named(run.restoreActions(), "example.io/ria2-operation");
    const { operationId } = await operation.execute(input, scope);
    expect(await operation.progress(operationId, restore, scope)).toMatchObject({ completed: true });
    await operation.cancel(operationId, restore, scope);
  });

  test("delete and relate items", async () => {
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    await (await named(run.deleteActions(), "example.io/delete-record")).execute(body(), backup, scope);
    expect(await readFile(join(state.path, "calls"), "utf8")).toContain("delete ConfigMap shop/settings of daily");
    const failing = await named(run.deleteActions(), "example.io/delete-fail");
    await expect(failing.execute(body(), backup, scope)).rejects.toMatchObject({ code: "Internal" });
    const related = await named(run.blockActions(), "example.io/related");
    expect(await related.appliesTo(scope)).toEqual({ labelSelector: "example.io/block=related" });
    const asked = body({ "example.io/related": "pods/shop/web" });
    expect(await related.getRelatedItems(asked, backup, scope)).toEqual([
      { groupResource: "pods", namespace: "shop", name: "web" },
    ]);
  });

  test("survive many first calls at once, which Velero's framework itself does not", async () => {
    const scope = testScope();
    for (let round = 0; round < 10; round++) {
      await using run = host.openRun({ log: scope.log });
      const actions = await run.backupActions();
      await Promise.all(actions.map((action) => action.appliesTo(scope)));
      const noop = await named(run.backupActions(), "example.io/no-op");
      await Promise.all(Array.from({ length: 64 }, () => noop.execute(body(), backup, scope)));
      for (const pid of run.pids()) process.kill(pid, "SIGKILL");
      await eventually(() => run.pids().length === 0);
      await Promise.all(Array.from({ length: 64 }, () => noop.execute(body(), backup, scope)));
    }
    expect(scope.messages("error")).toEqual([]);
  });

  test("take 3 MiB items, and refuse what is over Go's limit in words", async () => {
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    const action = await named(run.backupActions(), "example.io/no-op");
    const big = body({}, { data: { text: "x".repeat(3 * 1024 * 1024) } });
    expect((await action.execute(big, backup, scope)).body).toBe(big);
    const tooBig = body({}, { data: { text: "x".repeat(5 * 1024 * 1024) } });
    const error = await action.execute(tooBig, backup, scope).catch((thrown: unknown) => thrown);
    expect(messageOf(error)).toMatch(/received message larger than max/);
    expect((await action.execute(big, backup, scope)).body).toBe(big);
  });

  test("say how they were killed in mid-call", async () => {
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    const hanging = (await named(run.backupActions(), "example.io/hang"))
      .execute(body(), backup, scope)
      .catch((thrown: unknown) => thrown);
    const line = await eventually(() => scope.lines.find(({ message }) => message === "hanging"));
    expect(line).toMatchObject({
      level: "warn",
      fields: { namespace: "shop", logSource: expect.stringContaining(".go:") },
    });
    process.kill(run.pids()[0] ?? 0, "SIGKILL");
    expect(messageOf(await hanging)).toMatch(
      /"example.io\/hang" failed in Execute: plugin process .*velero-peer.* was ended by SIGKILL; its last output was:\n.*hanging/s,
    );
  });

  test("hold calls only until their deadline", async () => {
    const scope = testScope();
    const settings = { pluginDir: dir.path, env: process.env, executeTimeoutMs: 300, strict: true };
    await using impatient = await startPluginHost(settings, scope);
    await using run = impatient.openRun({ log: scope.log });
    const hang = await named(run.backupActions(), "example.io/hang");
    await expect(hang.execute(body(), backup, scope)).rejects.toMatchObject({ code: "DeadlineExceeded" });
    await (await named(run.backupActions(), "example.io/no-op")).execute(body(), backup, scope);
  });

  test("store objects of 100 MiB without holding them", async () => {
    const scope = testScope();
    const store = await host.shared.objectStore("example.io/filesystem");
    if (!store) throw new Error("no store");
    await expect(store.init({}, scope)).rejects.toThrow(/failed in Init/);
    await store.init({ root: state.path, bucket: "b" }, scope);
    const before = process.memoryUsage().rss;
    await store.putObject("b", "folder/big", repeated(Buffer.alloc(1024 * 1024, 1), 100), scope);
    expect((await stat(join(state.path, "b/folder/big"))).size).toBe(100 * 1024 * 1024);
    let size = 0;
    for await (const chunk of store.getObject("b", "folder/big", scope)) size += chunk.length;
    expect(size).toBe(100 * 1024 * 1024);
    expect(process.memoryUsage().rss - before).toBeLessThan(80 * 1024 * 1024);
    await store.putObject("b", "folder/empty", repeated(Buffer.alloc(0), 1), scope);
    expect(await store.listObjects("b", "folder/", scope)).toEqual(["folder/big", "folder/empty"]);
    expect(await store.listCommonPrefixes("b", "/", "", scope)).toEqual(["folder/"]);
    expect(await store.objectExists("b", "folder/empty", scope)).toBe(true);
    expect(await store.createSignedUrl("b", "x", 60_000, scope)).toMatch(/^file:/);
    await store.deleteObject("b", "folder/big", scope);
    expect(await store.objectExists("b", "folder/big", scope)).toBe(false);
    await expect(Array.fromAsync(store.getObject("b", "folder/big", scope))).rejects.toThrow();
  });

  test("take snapshots, version 1, which are complete at once", async () => {
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    const snapshotter = await run.snapshotter("example.io/volumes");
    expect(snapshotter.asynchronous).toBe(false);
    await snapshotter.init({ root: state.path }, scope);
    const volume = item({ "example.io/volume-id": "fast-1" });
    expect(await snapshotter.getVolumeId(volume, scope)).toBe("fast-1");
    expect(await snapshotter.getVolumeInfo({ volumeId: "fast-1", volumeAZ: "" }, scope)).toEqual({
      volumeType: "fast",
      iops: 300,
    });
    const id = await snapshotter.createSnapshot({ volumeId: "fast-1", volumeAZ: "z", tags: { a: "b" } }, scope);
    expect(id).toBe("snapshot-of-fast-1");
    expect(await snapshotter.progress(id, scope)).toEqual({ completed: true });
    await snapshotter.cancel(id, scope);
    const input = { snapshotId: id, volumeType: "fast", volumeAZ: "z", iops: 300 };
    expect(await snapshotter.createVolumeFromSnapshot(input, scope)).toBe(`volume-from-${id}`);
    const changed = await snapshotter.setVolumeId(item(), "v9", scope);
    expect(changed.metadata.annotations).toEqual({ "example.io/volume-id": "v9" });
    await snapshotter.deleteSnapshot(id, scope);
  });

  test("take snapshots, version 2, from protos written apart from ours", async () => {
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    const snapshotter = await run.snapshotter("example.io/go-snapshots");
    expect(snapshotter.asynchronous).toBe(true);
    await snapshotter.init({ region: "north" }, scope);
    const create = { snapshotId: "s", volumeType: "t", volumeAZ: "z", iops: 7 };
    expect(await snapshotter.createVolumeFromSnapshot(create, scope)).toBe("s/t/z/7");
    expect(await snapshotter.getVolumeInfo({ volumeId: "v", volumeAZ: "z" }, scope)).toEqual({
      volumeType: "v/z",
      iops: 2 ** 40,
    });
    const made = await snapshotter.createSnapshot({ volumeId: "v", volumeAZ: "z", tags: { a: "b" } }, scope);
    expect(made).toBe("north/v/z/b");
    expect(await snapshotter.getVolumeId(item(), scope)).toBe("ConfigMap");
    expect(await snapshotter.setVolumeId(item(), "v9", scope)).toMatchObject({ kind: "ConfigMap", volume: "v9" });
    expect(await snapshotter.progress("s", scope)).toEqual({
      completed: false,
      nCompleted: 3,
      nTotal: 2 ** 40,
      operationUnits: "bytes",
      description: "s",
      started: new Date(1_700_000_000_000),
    });
    await snapshotter.cancel("s", scope);
    await snapshotter.deleteSnapshot("s", scope);
    await expect(snapshotter.progress("unknown", scope)).rejects.toMatchObject({
      code: "InvalidArgument",
      fields: { operationId: "unknown" },
    });
  });
});

describe("a host in Go", () => {
  test("takes snapshots with a version 2 plugin of our SDK", async () => {
    const program = await buildGoProgram(join(packages, "plugin-sdk/test/go/snapshotter-v2"), testScope());
    const plugin = join(packages, "plugin-sdk/test/fixtures/every-kind.ts");
    const env = { JIBE_PLUGIN_KINDS: "VolumeSnapshotterV2" };
    const { stdout, stderr } = await runCommand(program, ["host", plugin, "example.io/s"], { env }, testScope());
    expect(stderr).toBe("");
    expect(stdout.split("\n").filter((line) => !line.startsWith("ListPlugins"))).toEqual([
      "Init ok",
      "CreateVolumeFromSnapshot vol-from-s-7",
      "GetVolumeInfo ssd 900",
      "CreateSnapshot snap-v-b-north",
      "DeleteSnapshot ok",
      "GetVolumeID v1",
      expect.stringMatching(/^SetVolumeID .*"volumeId":"v2"/),
      "Progress true 1 1 -62135596800",
      "Cancel ok",
      "",
    ]);
  });
});

describe("Velero's plugin for AWS", () => {
  test("serves as our object store", { timeout: 900_000 }, async () => {
    const scope = testScope();
    await using dir = await tempDir("aws-plugin");
    const plugin = await peerProgram("velero-plugin-for-aws", scope);
    await symlink(plugin, join(dir.path, "velero-plugin-for-aws"));
    await using s3 = await startVersitygw(scope);
    await using credentials = await tempDir("aws-credentials");
    const credentialsFile = join(credentials.path, "cloud");
    const keys = `aws_access_key_id=${s3.accessKey}\naws_secret_access_key=${s3.secretKey}\n`;
    await writeFile(credentialsFile, `[default]\n${keys}`);
    await using host = await startPluginHost({ pluginDir: dir.path, env: process.env, strict: true }, scope);
    expect(host.list().map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "VolumeSnapshotter velero.io/aws",
      "ObjectStore velero.io/aws",
    ]);
    const store = await host.shared.objectStore("aws");
    if (!store) throw new Error("no store");
    const config = { region: s3.region, s3Url: s3.url, s3ForcePathStyle: "true", credentialsFile };
    await store.init({ ...config, bucket: s3.bucket, prefix: "", checksumAlgorithm: "" }, scope);
    const chunk = Buffer.alloc(1024 * 1024, 7);
    await store.putObject(s3.bucket, "backups/daily/big", repeated(chunk, 12), scope);
    await store.putObject(s3.bucket, "backups/daily/empty", repeated(chunk, 0), scope);
    let size = 0;
    for await (const part of store.getObject(s3.bucket, "backups/daily/big", scope)) size += part.length;
    expect(size).toBe(12 * 1024 * 1024);
    expect(await store.listCommonPrefixes(s3.bucket, "/", "backups/", scope)).toEqual(["backups/daily/"]);
    const listed = await store.listObjects(s3.bucket, "backups/", scope); // in any order
    expect(listed.toSorted()).toEqual(["backups/daily/big", "backups/daily/empty"]);
    expect(await store.objectExists(s3.bucket, "backups/none", scope)).toBe(false);
    const url = await store.createSignedUrl(s3.bucket, "backups/daily/big", 60_000, scope);
    expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(12 * 1024 * 1024);
    await expect(Array.fromAsync(store.getObject(s3.bucket, "none", scope))).rejects.toMatchObject({
      code: "NotFound",
    });
    await store.deleteObject(s3.bucket, "backups/daily/big", scope);
    expect(await store.objectExists(s3.bucket, "backups/daily/big", scope)).toBe(false);
  });
});
