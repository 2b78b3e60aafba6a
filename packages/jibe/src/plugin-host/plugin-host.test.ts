import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, type Scope } from "@jibe/base";
import { bodyFromBytes } from "@jibe/engine";
import type { Backup, KubernetesObject, ObjectStore, Restore } from "@jibe/plugin-sdk/contracts";
import { eventually, type TempDir, tempDir, testScope } from "@jibe/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type PluginHostSettings, startPluginHost } from "./index.ts";

const fixtures = join(import.meta.dirname, "../../../plugin-sdk/test/fixtures");
const everyKind = join(fixtures, "every-kind.ts");
const announcing = join(fixtures, "announcing.ts");
const backup: Backup = { apiVersion: "velero.io/v1", kind: "Backup", metadata: { name: "daily" }, spec: {} };
const restore: Restore = { apiVersion: "velero.io/v1", kind: "Restore", metadata: { name: "again" }, spec: {} };

const pod = (annotations: Record<string, string> = {}): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web-0", namespace: "shop", annotations },
});
const body = (object: KubernetesObject) => bodyFromBytes(Buffer.from(JSON.stringify(object)));

async function* endless(): AsyncGenerator<Uint8Array> {
  while (true) yield new Uint8Array(64 * 1024);
}

/** Whether a process runs; one that ended but was not collected yet does not count. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

describe("the plugin host", { timeout: 60_000 }, () => {
  let dir: TempDir;
  beforeEach(async () => {
    dir = await tempDir("plugins");
  });
  afterEach(() => dir[Symbol.asyncDispose]());

  const install = (name: string, target = everyKind) => symlink(target, join(dir.path, name));
  const script = async (name: string, text: string) => {
    await writeFile(join(dir.path, name), `#!/bin/sh\n${text}\n`);
    await chmod(join(dir.path, name), 0o755);
  };
  const start = (settings: Partial<PluginHostSettings> = {}, scope = testScope()) =>
    startPluginHost({ pluginDir: dir.path, env: process.env, ...settings }, scope);

  async function named<T extends { readonly name: string }>(list: Promise<readonly T[]>, name: string): Promise<T> {
    const found = (await list).find((entry) => entry.name === name);
    if (!found) throw new Error(`no action ${name}`);
    return found;
  }

  test("has no plugins when there is no folder", async () => {
    await using host = await start({ pluginDir: join(dir.path, "absent") });
    expect(host.list()).toEqual([]);
  });

  test("goes on without what is broken, and says what is wrong with it", async () => {
    await install("good.ts");
    await script("bad", "echo 'the licence has expired' >&2; exit 7");
    await mkdir(join(dir.path, "sub"));
    await writeFile(join(dir.path, "sub", "readme.txt"), "not a plugin");
    const scope = testScope();
    await using host = await start({}, scope);
    expect(host.list()).toHaveLength(8);
    expect(host.problems()).toEqual([
      {
        command: join(dir.path, "bad"),
        message: expect.stringMatching(/bad: it exited with status 7 before .*the licence has expired/s),
      },
    ]);
    expect(scope.messages("error")).toHaveLength(1);
    expect(scope.messages("warn")).toEqual(["file in the plugin folder is not executable"]);
  });

  test("refuses to start with a broken plugin when it is strict", async () => {
    await script("bad", "exit 7");
    await expect(start({ strict: true })).rejects.toThrow(/plugin .*bad cannot be used/);
  });

  test("gives a name that two executables claim to the first", async () => {
    await install("a.ts");
    await install("b.ts");
    await using host = await start();
    expect(new Set(host.list().map(({ command }) => command))).toEqual(new Set([join(dir.path, "a.ts")]));
    expect(host.problems()[0]?.message).toMatch(/"example.io\/b1" is ignored: .*a.ts has it already/);
  });

  test("passes items as bytes and keeps those that did not change", async () => {
    await install("p.ts");
    await using host = await start();
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    const action = await named(run.backupActions(), "example.io/b2");
    const sent = bodyFromBytes(
      Buffer.from('{"kind":"Pod","metadata":{"name":"n"},"apiVersion":"v1","big":9007199254740993}'),
    );
    const result = await action.execute(sent, backup, scope);
    expect(result.body).toBe(sent);
    expect(result).toMatchObject({ operationId: "op-n", itemsToUpdate: [{ groupResource: "pods", name: "later" }] });
    expect(await action.progress("op-n", backup, scope)).toMatchObject({ nCompleted: 3, nTotal: 9 });
  });

  test("lifts version 1 actions", async () => {
    await install("p.ts");
    await using host = await start();
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    const backupAction = await named(run.backupActions(), "example.io/b1");
    const result = await backupAction.execute(body(pod()), backup, scope);
    expect(result.body.object.metadata.labels).toEqual({ v1: "daily" });
    expect(result.operationId).toBe("");
    await expect(backupAction.progress("x", backup, scope)).rejects.toMatchObject({ code: "Unsupported" });
    await backupAction.cancel("x", backup, scope);
    const restoreAction = await named(run.restoreActions(), "example.io/r1");
    expect(await restoreAction.areAdditionalItemsReady([], restore, scope)).toBe(true);
    const input = { body: body(pod()), bodyFromBackup: body(pod()), restore };
    expect((await restoreAction.execute(input, scope)).body.object.metadata.labels).toEqual({
      from: "web-0",
      restore: "again",
    });
  });

  test("runs built-in actions first, and a plugin instead of a built-in one of its name", async () => {
    await install("p.ts");
    await using host = await start();
    const scope = testScope();
    const builtIn = (name: string) => ({
      name,
      appliesTo: async () => ({}),
      execute: async () => {},
    });
    const builtIns = { deleteActions: [builtIn("velero.io/own"), builtIn("example.io/d")] };
    await using run = host.openRun({ log: scope.log, builtIns });
    expect((await run.deleteActions()).map(({ name }) => name)).toEqual(["velero.io/own", "example.io/d"]);
    expect((await run.deleteActions())[1]).not.toBe(builtIns.deleteActions[1]);
    expect(scope.messages("info")).toEqual(["plugin on disk is used instead of the built-in one"]);
  });

  test("puts plugins' lines into the log of their run", async () => {
    await install("p.ts");
    const hostScope = testScope();
    await using host = await start({}, hostScope);
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    await (await named(run.backupActions(), "example.io/b1")).execute(body(pod()), backup, scope);
    const line = await eventually(() => scope.lines.find(({ message }) => message === "seen by v1"));
    expect(line).toMatchObject({ level: "warn", fields: { pluginName: "p.ts", plugin: "example.io/b1" } });
    expect(hostScope.messages()).not.toContain("seen by v1");
  });

  test("says how a plugin died in a call, and starts it again for the next", async () => {
    await install("p.ts");
    await using host = await start();
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    const action = await named(run.backupActions(), "example.io/b2");
    await expect(action.execute(body(pod({ exit: "9" })), backup, scope)).rejects.toMatchObject({
      code: "Unavailable",
      message: 'plugin "example.io/b2" failed in Execute',
      cause: { message: expect.stringContaining("exited with status 9") },
    });
    expect(await action.execute(body(pod()), backup, scope)).toMatchObject({ operationId: "op-web-0" });
    expect(scope.messages("error")).toContain("plugin process exited");
  });

  test("makes the first calls of a kind one at a time, on every new process", async () => {
    await install("p.ts", join(import.meta.dirname, "../../test/fixtures/fragile-plugin.ts"));
    await using host = await start();
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    const actions = await run.backupActions();
    expect(actions).toHaveLength(3);
    const callAll = () =>
      Promise.all(
        actions.flatMap((action) => Array(5).fill(action)).map((action) => action.execute(body(pod()), backup, scope)),
      );
    await callAll();
    process.kill(run.pids()[0] ?? 0, "SIGKILL");
    await eventually(() => run.pids().length === 0);
    await callAll();
  });

  test("counts a death that ends many calls as one failure", async () => {
    await install("p.ts");
    await using host = await start({ maxFailures: 2 });
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    const action = await named(run.backupActions(), "example.io/b2");
    await action.progress("x", backup, scope);
    const hanging = Array.from({ length: 20 }, () => action.execute(body(pod({ hang: "yes" })), backup, scope));
    const exiting = action.execute(body(pod({ exit: "9" })), backup, scope);
    const outcomes = await Promise.allSettled([...hanging, exiting]);
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(["rejected"]));
    expect(await action.progress("x", backup, scope)).toMatchObject({ nTotal: 9 });
  });

  test("gives up on a plugin that dies every time", async () => {
    await install("p.ts");
    await using host = await start({ maxFailures: 2 });
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    const action = await named(run.backupActions(), "example.io/b2");
    const die = () => action.execute(body(pod({ exit: "9" })), backup, scope);
    await expect(die()).rejects.toMatchObject({ cause: { message: expect.stringContaining("status 9") } });
    await expect(die()).rejects.toMatchObject({ cause: { message: expect.stringContaining("status 9") } });
    await expect(die()).rejects.toMatchObject({
      code: "Unavailable",
      cause: { message: expect.stringMatching(/failed 2 times in a row .*status 9/s) },
    });
  });

  test("tells stores and snapshotters their configuration again after a restart", async () => {
    await install("p.ts");
    await using host = await start();
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    const snapshotter = await run.snapshotter("example.io/s");
    expect(snapshotter.asynchronous).toBe(true);
    await snapshotter.init({ region: "north" }, scope);
    const [pid = 0] = run.pids();
    process.kill(pid, "SIGKILL");
    await eventually(() => run.pids().length === 0);
    const input = { volumeId: "v", volumeAZ: "z", tags: { a: "b" } };
    expect(await snapshotter.createSnapshot(input, scope)).toBe("snap-v-b-north");
  });

  test("keeps two configurations of one store apart", async () => {
    await install("p.ts");
    await using host = await start();
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    const north = await run.snapshotter("example.io/s");
    const south = await run.snapshotter("example.io/s");
    await north.init({ region: "north" }, scope);
    await south.init({ region: "south" }, scope);
    const input = { volumeId: "v", volumeAZ: "z", tags: { a: "b" } };
    expect(await north.createSnapshot(input, scope)).toBe("snap-v-b-north");
    expect(await south.createSnapshot(input, scope)).toBe("snap-v-b-south");
    expect(run.pids()).toHaveLength(2);
  });

  test("ends a call that takes too long and keeps the process that is healthy", async () => {
    await install("p.ts");
    await using host = await start({ executeTimeoutMs: 200 });
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    const action = await named(run.backupActions(), "example.io/b2");
    await action.progress("x", backup, scope);
    const [pid] = run.pids();
    await expect(action.execute(body(pod({ hang: "yes" })), backup, scope)).rejects.toMatchObject({
      code: "DeadlineExceeded",
    });
    expect(run.pids()).toEqual([pid]);
  });

  test("kills a process that does not answer at all, and starts it again", async () => {
    await install("p.ts");
    await using host = await start({ callTimeoutMs: 3000, healthTimeoutMs: 300 });
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    const action = await named(run.backupActions(), "example.io/b2");
    await action.progress("x", backup, scope);
    const [pid = 0] = run.pids();
    process.kill(pid, "SIGSTOP");
    await expect(action.progress("x", backup, scope)).rejects.toMatchObject({ code: "DeadlineExceeded" });
    expect(scope.messages("warn")).toContain("plugin process does not answer and is killed");
    expect(isAlive(pid)).toBe(false);
    expect(await action.progress("x", backup, scope)).toMatchObject({ nTotal: 9 });
  });

  test("leaves no process behind when it is killed", async () => {
    await install("p.ts");
    const fixture = join(import.meta.dirname, "../../test/fixtures/plugin-host-process.ts");
    const host = spawn(process.execPath, [fixture, dir.path], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(host.stdout, "data");
    const pids = String(line).trim().split(" ").map(Number);
    expect(pids.map(isAlive)).toEqual([true, true]);
    host.kill("SIGKILL");
    await eventually(() => !pids.some(isAlive));
  });

  test("ends a call with its run", async () => {
    await install("p.ts");
    await using host = await start();
    const scope = testScope();
    await using run = host.openRun({ log: scope.log });
    const action = await named(run.backupActions(), "example.io/b2");
    await action.progress("x", backup, scope);
    const hanging = action.execute(body(pod({ hang: "yes" })), backup, scope);
    scope.abort(new Error("canceled by the user"));
    await expect(hanging).rejects.toThrow("canceled by the user");
  });

  test("ends its processes with the run, and starts none after it", async () => {
    await install("p.ts");
    await using host = await start();
    const scope = testScope();
    const run = host.openRun({ log: scope.log });
    const action = await named(run.backupActions(), "example.io/b2");
    await action.progress("x", backup, scope);
    const [pid = 0] = run.pids();
    expect(isAlive(pid)).toBe(true);
    await run[Symbol.asyncDispose]();
    expect(isAlive(pid)).toBe(false);
    await expect(action.progress("x", backup, scope)).rejects.toThrow("after its run has ended");
    expect(run.pids()).toEqual([]);
  });

  test("streams objects, and ends a download that is left", async () => {
    await install("p.ts");
    await using host = await start();
    const scope = testScope();
    const store = await host.shared.objectStore("example.io/o");
    if (!store) throw new Error("no store");
    await store.init({ bucket: "b" }, scope);
    const chunk = Buffer.alloc(1024 * 1024, 3);
    await store.putObject(
      "b",
      "k",
      (async function* () {
        for (let i = 0; i < 8; i++) yield chunk;
      })(),
      scope,
    );
    let size = 0;
    for await (const part of store.getObject("b", "k", scope)) size += part.length;
    expect(size).toBe(8 * 1024 * 1024);
    for await (const _ of store.getObject("b", "k", scope)) break;
    expect(await store.objectExists("b", "k", scope)).toBe(true);
    await expect(Array.fromAsync(store.getObject("b", "missing", scope))).rejects.toMatchObject({ code: "NotFound" });
    await store.deleteObject("b", "missing", scope);
    expect(await host.shared.objectStore("example.io/none")).toBeUndefined();
  });

  const stuckStreams: Record<string, (store: ObjectStore, scope: Scope) => Promise<unknown>> = {
    "an upload that the plugin does not read": (store, scope) => store.putObject("b", "stuck", endless(), scope),
    "a download that the plugin does not go on with": (store, scope) =>
      Array.fromAsync(store.getObject("b", "stuck", scope)),
  };
  for (const [name, move] of Object.entries(stuckStreams)) {
    test(`gives up ${name}, and keeps the process`, async () => {
      await install("p.ts");
      await using host = await start({ callTimeoutMs: 3000, healthTimeoutMs: 20_000 });
      const scope = testScope();
      const store = await host.shared.objectStore("example.io/o");
      if (!store) throw new Error("no store");
      await store.init({ bucket: "b" }, scope);
      const pids = host.shared.pids();
      const error = await move(store, scope).catch((thrown: unknown) => thrown);
      expect(messageOf(error)).toMatch(/"example.io\/o" failed in (Put|Get)Object: .* did not move for 3000 ms/);
      expect(host.shared.pids()).toEqual(pids);
    });
  }

  test("has one process per executable and run, and one more that all who poll share", async () => {
    await install("p.ts");
    await using host = await start();
    const scope = testScope();
    await using first = host.openRun({ log: scope.log });
    await using second = host.openRun({ log: scope.log });
    for (const run of [first, second, host.shared]) {
      await (await named(run.backupActions(), "example.io/b1")).execute(body(pod()), backup, scope);
      await (await named(run.restoreActions(), "example.io/r2")).progress("rop", restore, scope);
      await (await run.objectStore("example.io/o"))?.init({ bucket: "b" }, scope);
      await (await run.snapshotter("example.io/s")).init({ region: "north" }, scope);
    }
    const pids = [first, second, host.shared].map((run) => run.pids());
    expect(pids.map(({ length }) => length)).toEqual([1, 1, 1]);
    expect(new Set(pids.flat()).size).toBe(3);
  });

  const misnamed: Record<string, { kind: string; name: string; says: RegExp }> = {
    "a kind that nobody knows": {
      kind: "Teleporter",
      name: "example.io/t",
      says: /example.io\/t is of unknown kind "Telep/,
    },
    "a name without a domain": { kind: "DeleteItemAction", name: "tidy", says: /invalid plugin name "tidy"/ },
    "a name with a domain that is none": {
      kind: "DeleteItemAction",
      name: "Ex_ample/x",
      says: /invalid plugin name "Ex_/,
    },
  };
  for (const [what, { kind, name, says }] of Object.entries(misnamed)) {
    test(`reports an executable that announces ${what}`, async () => {
      await script("odd", `ANNOUNCED_KIND=${kind} ANNOUNCED_NAME=${name} exec ${announcing}`);
      await using host = await start();
      expect(host.list()).toEqual([]);
      expect(host.problems()).toEqual([{ command: join(dir.path, "odd"), message: expect.stringMatching(says) }]);
    });
  }

  test("ends shared processes that nobody needs", async () => {
    await install("p.ts");
    await using host = await start({ sharedIdleMs: 100 });
    const scope = testScope();
    const store = await host.shared.objectStore("example.io/o");
    await store?.init({ bucket: "b" }, scope);
    await eventually(() => host.shared.pids().length === 0);
    expect(await store?.objectExists("b", "k", scope)).toBe(false);
  });

  test("passes the server's flags and only the variables that were asked for", async () => {
    await script("env", `env > ${join(dir.path, "seen.txt")}; echo "$@" >> ${join(dir.path, "seen.txt")}; exit 1`);
    await using _host = await start({
      args: ["--log-level=debug"],
      envNames: ["HOME"],
      env: { HOME: "/h", SECRET: "s", PATH: "/bin" },
    });

    const seen = await readFile(join(dir.path, "seen.txt"), "utf8");
    expect(seen).toContain("VELERO_PLUGIN=hello\n");
    expect(seen).toContain("JIBE_PLUGIN_KINDS=VolumeSnapshotterV2\n");
    expect(seen).toContain("HOME=/h\n");
    expect(seen).toContain("--log-level=debug\n");
    expect(seen).not.toContain("SECRET");
  });
});
