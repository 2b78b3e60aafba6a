import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { eventually } from "../eventually.ts";
import { tempDir } from "../temp-dir.ts";
import { testScope } from "../test-scope.ts";
import { startPeerProcess, untilReady } from "./peer-process.ts";

/** Whether the process runs; one that ended and waits for its parent's notice does not. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}

describe("a peer process", () => {
  test("writes its output to the log and ends when disposed", async () => {
    await using dir = await tempDir();
    const peer = await startPeerProcess({ program: "/bin/sh", args: ["-c", "echo up; sleep 60"], dir: dir.path });
    await eventually(() => peer.logs() === "up\n");
    await peer[Symbol.asyncDispose]();
    expect(peer.isRunning()).toBe(false);
    expect(isAlive(peer.pid)).toBe(false);
  });

  test("takes with it what it started", async () => {
    await using dir = await tempDir();
    const peer = await startPeerProcess({
      program: "/bin/sh",
      args: ["-c", "sleep 60 & echo $!; wait"],
      dir: dir.path,
    });
    const child = await eventually(() => Number(peer.logs()) || undefined);
    await peer.kill();
    await eventually(() => !isAlive(child));
  });

  test("terminate lets it say goodbye", async () => {
    await using dir = await tempDir();
    const script = "trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.05; done";
    const peer = await startPeerProcess({ program: "/bin/sh", args: ["-c", script], dir: dir.path });
    await eventually(() => peer.logs() === "up\n");
    await peer.terminate();
    expect(peer.logs()).toBe("up\nbye\n");
  });

  test("a start that fails reports the end of the log", async () => {
    using scope = testScope();
    await using dir = await tempDir();
    const peer = await startPeerProcess({ program: "/bin/sh", args: ["-c", "echo bad flag; exit 1"], dir: dir.path });
    await expect(untilReady(peer, async () => false, scope)).rejects.toThrow(/cannot start sh.*bad flag/s);
  });

  test("ends, and its folder goes, when the process that started it is killed", async () => {
    const owner = spawn(process.execPath, ["--input-type=module", "-e", startsAPeer], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(owner.stdout, "data")) as [Buffer];
    const { pid, path } = JSON.parse(line.toString()) as { pid: number; path: string };
    expect(isAlive(pid)).toBe(true);
    owner.kill("SIGKILL");
    await eventually(() => !isAlive(pid));
    await eventually(() => !existsSync(path));
  });
});

const startsAPeer = `
import { startPeerProcess } from ${JSON.stringify(new URL("./peer-process.ts", import.meta.url).href)};
import { tempDir } from ${JSON.stringify(new URL("../temp-dir.ts", import.meta.url).href)};
const { path } = await tempDir("watchdog");
const { pid } = await startPeerProcess({ program: "/bin/sleep", args: ["60"], dir: path });
console.log(JSON.stringify({ pid, path }));
`;
