import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LogLine, type Scope, silentLogger } from "@jibe/base";
import { eventually } from "@jibe/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { echoHandshake } from "../test/handshake.ts";
import { isAlive } from "../test/is-alive.ts";
import { verifyHost } from "../test/verify-host.ts";
import { startPlugin } from "./start-plugin.ts";

const echoPlugin = join(import.meta.dirname, "../test/fixtures/echo-plugin.ts");
const scope: Scope = { signal: new AbortController().signal, log: silentLogger };

verifyHost("a plugin in TypeScript", async () => echoPlugin);

describe("startPlugin", () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "go-plugin-test-"));
  });
  afterAll(() => rm(dir, { recursive: true }));

  const script = async (name: string, text: string) => {
    const path = join(dir, name);
    await writeFile(path, `#!/bin/sh\n${text}\n`);
    await chmod(path, 0o755);
    return path;
  };
  const start = (command: string, startTimeoutMs = 10_000) =>
    startPlugin({ command, env: process.env, handshake: echoHandshake, startTimeoutMs }, scope);

  test("names a program that is not there", async () => {
    await expect(start(join(dir, "absent"))).rejects.toThrow(/absent: it is missing or not executable/);
  });

  test("quotes a program that ends before its first line", async () => {
    const path = await script("dies", "echo 'no database' >&2; exit 4");
    await expect(start(path)).rejects.toMatchObject({
      code: "Unavailable",
      cause: { message: expect.stringMatching(/exited with status 4 before .*\nno database/s) },
    });
  });

  test("quotes a first line that is none, and what was said beside it", async () => {
    const path = await script("chatty", "echo hello there; echo 'run me differently' >&2");
    await expect(start(path)).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/"hello there".*run me differently/s) },
    });
  });

  test("gives up on a silent program and leaves nothing running", async () => {
    const pidFile = join(dir, "pid");
    const path = await script("silent", `echo $$ > ${pidFile}; sleep 60`);
    await expect(start(path, 300)).rejects.toMatchObject({ code: "DeadlineExceeded" });
    const pid = Number(await readFile(pidFile, "utf8"));
    await eventually(() => !isAlive(pid));
  });

  test("kills what the plugin started, too", async () => {
    const pidFile = join(dir, "child");
    const path = await script("parent", `sleep 60 & echo $! > ${pidFile}; exec ${echoPlugin}`);
    const plugin = await start(path);
    const pid = Number(await readFile(pidFile, "utf8"));
    expect(isAlive(pid)).toBe(true);
    await plugin[Symbol.asyncDispose]();
    await eventually(() => !isAlive(pid));
  });

  test("parses what the plugin logs", async () => {
    const lines: LogLine[] = [];
    await using _plugin = await startPlugin(
      { command: echoPlugin, env: process.env, handshake: echoHandshake, onLog: (line) => lines.push(line) },
      scope,
    );
    await eventually(() => lines.length > 0);
    expect(lines[0]).toEqual({ level: "warn", message: "echo starts", fields: { answer: 42 } });
  });

  test("leaves no plugin and no socket behind when the host is killed", async () => {
    const host = spawn(process.execPath, [join(import.meta.dirname, "../test/fixtures/host.ts"), echoPlugin], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(host.stdout, "data");
    const [pid, socketDir] = String(line).trim().split(" ");
    expect(isAlive(Number(pid))).toBe(true);
    expect(await readdir(socketDir ?? "")).toHaveLength(1);
    host.kill("SIGKILL");
    await eventually(() => !isAlive(Number(pid)));
    await eventually(() =>
      readdir(socketDir ?? "").then(
        () => false,
        () => true,
      ),
    );
  });
});
