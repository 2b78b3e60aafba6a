import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { announcing, backup, body, named, pluginFolder, pod, restore } from "./test/host-world.ts";

/** Whether a process runs; one that ended but was not collected yet does not count. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

describe("the processes of the plugin host", { timeout: 60_000 }, () => {
  const { path, install, script, start } = pluginFolder();

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
    const host = spawn(process.execPath, [fixture, path()], { stdio: ["ignore", "pipe", "inherit"] });
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
      expect(host.problems()).toEqual([{ command: path("odd"), message: expect.stringMatching(says) }]);
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
    await script("env", `env > ${path("seen.txt")}; echo "$@" >> ${path("seen.txt")}; exit 1`);
    await using _host = await start({
      args: ["--log-level=debug"],
      envNames: ["HOME"],
      env: { HOME: "/h", SECRET: "s", PATH: "/bin" },
    });

    const seen = await readFile(path("seen.txt"), "utf8");
    expect(seen).toContain("VELERO_PLUGIN=hello\n");
    expect(seen).toContain("JIBE_PLUGIN_KINDS=VolumeSnapshotterV2\n");
    expect(seen).toContain("HOME=/h\n");
    expect(seen).toContain("--log-level=debug\n");
    expect(seen).not.toContain("SECRET");
  });
});
