import { join } from "node:path";
import { type LogLine, type Scope, silentLogger } from "@jibe/base";
import { type PluginProcess, startPlugin } from "@jibe/go-plugin";
import { eventually } from "@jibe/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  errorFromPlugin,
  listPlugins,
  objectAsBytes,
  objectFromBytes,
  remoteBackupItemActionV1,
  remoteBackupItemActionV2,
  remoteDeleteItemAction,
  remoteItemBlockAction,
  remoteObjectStore,
  remoteRestoreItemActionV1,
  remoteRestoreItemActionV2,
  remoteVolumeSnapshotterV1,
  remoteVolumeSnapshotterV2,
  veleroHandshake,
} from "./wire/index.ts";

const command = join(import.meta.dirname, "../test/fixtures/every-kind.ts");
const scope: Scope = { signal: new AbortController().signal, log: silentLogger };
const lines: LogLine[] = [];

const start = (env: Record<string, string> = {}) =>
  startPlugin(
    {
      command,
      args: ["--features=x", "--log-level", "debug", "--unknown-flag"],
      env: { ...process.env, ...env },
      handshake: veleroHandshake,
      errorFrom: errorFromPlugin,
      onLog: (line) => lines.push(line),
    },
    scope,
  );

const bytes = (value: object) => Buffer.from(JSON.stringify(value));
const pod = (annotations: Record<string, string> = {}) =>
  bytes({ apiVersion: "v1", kind: "Pod", metadata: { name: "web-0", namespace: "shop", annotations } });
const backup = bytes({ metadata: { name: "daily" }, spec: {} });
const restore = bytes({ metadata: { name: "again" }, spec: {} });

async function* chunks(...parts: Uint8Array[]) {
  yield* parts;
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

describe("served plugins", () => {
  let plugin: PluginProcess;
  beforeAll(async () => {
    plugin = await start({ JIBE_PLUGIN_KINDS: "VolumeSnapshotterV2" });
  });
  afterAll(() => plugin[Symbol.asyncDispose]());

  test("are listed by kind and name, with the path of the script", async () => {
    const list = await listPlugins(plugin.channel, scope);
    expect(new Set(list.map((entry) => entry.command))).toEqual(new Set([command]));
    expect(list.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "BackupItemAction example.io/b1",
      "BackupItemActionV2 example.io/b2",
      "VolumeSnapshotterV2 example.io/s",
      "ObjectStore example.io/o",
      "RestoreItemAction example.io/r1",
      "RestoreItemActionV2 example.io/r2",
      "DeleteItemAction example.io/d",
      "ItemBlockAction example.io/i",
    ]);
  });

  test("change items and name additional ones, as version 1", async () => {
    const action = remoteBackupItemActionV1(plugin.channel, "example.io/b1");
    expect(await action.appliesTo(scope)).toEqual({ includedResources: ["pods"], labelSelector: "app=shop" });
    const output = await action.execute(pod(), backup, scope);
    expect(objectFromBytes(output.item, "item").metadata.labels).toEqual({ v1: "daily" });
    expect(output.additionalItems).toEqual([{ groupResource: "deployments.apps", namespace: "shop", name: "web" }]);
  });

  test("log at their level, with their name, and with fields that no host trips over", async () => {
    await remoteBackupItemActionV1(plugin.channel, "example.io/b1").execute(pod(), backup, scope);
    await eventually(() => lines.some(({ message }) => message === "seen by v1"));
    const line = lines.find(({ message }) => message === "seen by v1");
    expect(line).toMatchObject({
      level: "warn",
      fields: { plugin: "example.io/b1", item: "Pod/shop/web-0", backup: "daily", name: "7" },
    });
  });

  test("keep numbers that JavaScript cannot hold", async () => {
    const item = Buffer.from(
      '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"n"},"big":9007199254740993,"f":1.50}',
    );
    const output = await remoteBackupItemActionV2(plugin.channel, "example.io/b2").execute(item, backup, scope);
    expect(Buffer.from(output.item).toString()).toBe(item.toString());
  });

  test("start operations and report on them, as version 2", async () => {
    const action = remoteBackupItemActionV2(plugin.channel, "example.io/b2");
    expect(await action.execute(pod(), backup, scope)).toMatchObject({
      operationId: "op-web-0",
      itemsToUpdate: [{ groupResource: "pods", name: "later" }],
    });
    expect(await action.progress("op-web-0", backup, scope)).toEqual({
      completed: false,
      nCompleted: 3,
      nTotal: 9,
      operationUnits: "MB",
      started: new Date(1_700_000_000_123),
    });
    await action.cancel("op-web-0", backup, scope);
  });

  test("tell the two known errors as themselves", async () => {
    const action = remoteBackupItemActionV2(plugin.channel, "example.io/b2");
    await expect(action.progress("unknown", backup, scope)).rejects.toMatchObject({
      code: "InvalidArgument",
      fields: { operationId: "unknown" },
    });
    await expect(action.progress("sync", backup, scope)).rejects.toMatchObject({ code: "Unsupported" });
  });

  test("tell what was thrown and where", async () => {
    const action = remoteBackupItemActionV2(plugin.channel, "example.io/b2");
    await expect(action.execute(pod({ fail: "out of tape" }), backup, scope)).rejects.toMatchObject({
      code: "Internal",
      message: "out of tape",
      fields: { "error.file": expect.stringContaining("every-kind.ts:"), "error.function": "obey" },
    });
  });

  test("tell what was thrown at once as they do a rejected promise", async () => {
    const item = objectAsBytes({ apiVersion: "v1", kind: "Pod", metadata: { name: "stuck" } }, "item");
    const deleting = remoteDeleteItemAction(plugin.channel, "example.io/d").execute(item, backup, scope);
    await expect(deleting).rejects.toMatchObject({
      fields: { "error.file": expect.stringContaining("every-kind.ts:") },
    });
  });

  test("take and answer items far over the 4 MiB that gRPC allows by itself", async () => {
    const big = "x".repeat(8 * 1024 * 1024);
    const item = bytes({ apiVersion: "v1", kind: "Pod", metadata: { name: "big" }, big });
    const output = await remoteBackupItemActionV1(plugin.channel, "example.io/b1").execute(item, backup, scope);
    expect(objectFromBytes(output.item, "item")).toMatchObject({ big, metadata: { labels: { v1: "daily" } } });
  });

  test("go on when Ctrl-C at the server's terminal reaches them", async () => {
    process.kill(plugin.pid, "SIGINT");
    const action = remoteBackupItemActionV2(plugin.channel, "example.io/b2");
    await action.execute(pod({ print: "after the interrupt" }), backup, scope);
    await eventually(() => lines.some(({ message }) => message === "after the interrupt"));
    expect(plugin.exit).toBeUndefined();
  });

  test("may print without harm", async () => {
    await remoteBackupItemActionV2(plugin.channel, "example.io/b2").execute(pod({ print: "hi there" }), backup, scope);
    await eventually(() => lines.some(({ message }) => message === "hi there"));
  });

  test("restore, skip, wait and say when items are ready", async () => {
    const v1 = remoteRestoreItemActionV1(plugin.channel, "example.io/r1");
    expect(await v1.appliesTo(scope)).toEqual({ excludedNamespaces: ["kube-system"] });
    const item = objectAsBytes({ apiVersion: "v1", kind: "Pod", metadata: { name: "unwanted" } }, "item");
    expect(await v1.execute({ item, itemFromBackup: pod(), restore }, scope)).toMatchObject({ skipRestore: true });
    const v2 = remoteRestoreItemActionV2(plugin.channel, "example.io/r2");
    expect(await v2.execute({ item, itemFromBackup: item, restore }, scope)).toMatchObject({
      operationId: "rop",
      waitForAdditionalItems: true,
      additionalItemsReadyTimeoutMs: 90_500,
    });
    expect(await v2.progress("rop", restore, scope)).toEqual({ completed: false, nCompleted: 0, nTotal: 0 });
    const late = { groupResource: "pods", namespace: "shop", name: "late" };
    expect(await v2.areAdditionalItemsReady([late], restore, scope)).toBe(false);
    expect(await v2.areAdditionalItemsReady([], restore, scope)).toBe(true);
  });

  test("delete items and relate them", async () => {
    const item = objectAsBytes({ apiVersion: "v1", kind: "Pod", metadata: { name: "stuck" } }, "item");
    const deleting = remoteDeleteItemAction(plugin.channel, "example.io/d").execute(item, backup, scope);
    await expect(deleting).rejects.toEqual(
      expect.objectContaining({ code: "Conflict", message: "cannot delete stuck" }),
    );
    const related = await remoteItemBlockAction(plugin.channel, "example.io/i").getRelatedItems(item, backup, scope);
    expect(related).toEqual([{ groupResource: "secrets", namespace: "shop", name: "stuck-key" }]);
  });

  test("take snapshots, as version 2", async () => {
    const snapshotter = remoteVolumeSnapshotterV2(plugin.channel, "example.io/s");
    await snapshotter.init({ region: "north" }, scope);
    const tags = { a: "b" };
    expect(await snapshotter.createSnapshot({ volumeId: "v", volumeAZ: "z", tags }, scope)).toBe("snap-v-b-north");
    expect(await snapshotter.getVolumeInfo({ volumeId: "fast", volumeAZ: "z" }, scope)).toEqual({
      volumeType: "ssd",
      iops: 900,
    });
    expect(await snapshotter.getVolumeInfo({ volumeId: "slow", volumeAZ: "z" }, scope)).toEqual({ volumeType: "hdd" });
    expect(await snapshotter.progress("snap", scope)).toMatchObject({ completed: true, nTotal: 1 });
    const volume = { apiVersion: "v1", kind: "PersistentVolume", metadata: { name: "pv" } };
    expect(await snapshotter.getVolumeId(volume, scope)).toBe("");
    expect(await snapshotter.setVolumeId(volume, "v2", scope)).toMatchObject({ spec: { volumeId: "v2" } });
  });

  test("store objects of any size", async () => {
    const store = remoteObjectStore(plugin.channel, "example.io/o");
    const body = Buffer.alloc(10 * 1024 * 1024, 5);
    await store.putObject("b", "big", chunks(body), scope);
    expect(Buffer.compare(await collect(store.getObject("b", "big", scope)), body)).toBe(0);
    await store.putObject("b", "empty", chunks(), scope);
    expect(await store.objectExists("b", "empty", scope)).toBe(true);
    expect(await collect(store.getObject("b", "empty", scope))).toHaveLength(0);
    expect(await store.listObjects("b", "", scope)).toEqual(["big", "empty"]);
    await store.putObject("b", "p/x/1", chunks(), scope);
    expect(await store.listCommonPrefixes("b", "/", "p/", scope)).toEqual(["p/x/"]);
    expect(await store.createSignedUrl("b", "big", 600_000, scope)).toBe("https://b/big?ttl=600000");
    await store.deleteObject("b", "big", scope);
    await expect(collect(store.getObject("b", "big", scope))).rejects.toMatchObject({ code: "NotFound" });
  });

  test("say why an upload failed although the host is still sending", async () => {
    const store = remoteObjectStore(plugin.channel, "example.io/o");
    const parts = Array.from({ length: 100 }, () => Buffer.alloc(128 * 1024));
    await expect(store.putObject("b", "full", chunks(...parts), scope)).rejects.toThrow("no space left");
  });

  test("never take an upload that was given up for a whole object", async () => {
    const store = remoteObjectStore(plugin.channel, "example.io/o");
    const broken = async function* () {
      for (let i = 0; i < 20; i++) yield Buffer.alloc(128 * 1024);
      throw new Error("the disk is gone");
    };
    await expect(store.putObject("b", "half", broken(), scope)).rejects.toThrow("the disk is gone");
    const stopping = new AbortController();
    const endless = async function* () {
      for (let i = 0; ; i++) {
        if (i === 20) stopping.abort(new Error("canceled"));
        yield Buffer.alloc(128 * 1024);
      }
    };
    const upload = store.putObject("b", "half", endless(), { ...scope, signal: stopping.signal });
    await expect(upload).rejects.toThrow("canceled");
    expect(await store.objectExists("b", "half", scope)).toBe(false);
  });

  test("refuse a name they do not have", async () => {
    const action = remoteBackupItemActionV1(plugin.channel, "example.io/other");
    await expect(action.appliesTo(scope)).rejects.toThrow("example.io/other was not found");
  });
});

describe("without the host's word for it", () => {
  test("a snapshotter of version 2 is announced and served as version 1", async () => {
    await using plugin = await start({ JIBE_PLUGIN_KINDS: "" });
    const kinds = (await listPlugins(plugin.channel, scope)).map(({ kind }) => kind);
    expect(kinds).toContain("VolumeSnapshotter");
    expect(kinds).not.toContain("VolumeSnapshotterV2");
    const snapshotter = remoteVolumeSnapshotterV1(plugin.channel, "example.io/s");
    await snapshotter.init({ region: "south" }, scope);
    const input = { volumeId: "v", volumeAZ: "z", tags: {} };
    expect(await snapshotter.createSnapshot(input, scope)).toBe("snap-v-undefined-south");
  });
});

describe("started by hand", () => {
  test("a plugin says what it is and fails", async () => {
    const { spawnSync } = await import("node:child_process");
    const { status, stderr, stdout } = spawnSync(process.execPath, [command], { encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("this program is a plugin");
  });
});
