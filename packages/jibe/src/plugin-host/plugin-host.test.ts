import { mkdir, writeFile } from "node:fs/promises";
import { messageOf, type Scope } from "@jibe/base";
import { bodyFromBytes } from "@jibe/engine";
import type { ObjectStore } from "@jibe/plugin-sdk/contracts";
import { eventually, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { backup, body, named, pluginFolder, pod, restore } from "./test/host-world.ts";

async function* endless(): AsyncGenerator<Uint8Array> {
  while (true) yield new Uint8Array(64 * 1024);
}

describe("the plugin host", { timeout: 60_000 }, () => {
  const { path, install, script, start } = pluginFolder();

  test("has no plugins when there is no folder", async () => {
    await using host = await start({ pluginDir: path("absent") });
    expect(host.list()).toEqual([]);
  });

  test("goes on without what is broken, and says what is wrong with it", async () => {
    await install("good.ts");
    await script("bad", "echo 'the licence has expired' >&2; exit 7");
    await mkdir(path("sub"));
    await writeFile(path("sub", "readme.txt"), "not a plugin");
    const scope = testScope();
    await using host = await start({}, scope);
    expect(host.list()).toHaveLength(8);
    expect(host.problems()).toEqual([
      {
        command: path("bad"),
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
    expect(new Set(host.list().map(({ command }) => command))).toEqual(new Set([path("a.ts")]));
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
});
