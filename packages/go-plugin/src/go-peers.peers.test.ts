import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { eventually, testScope } from "@jibe/testkit";
import { buildGoProgram, runCommand } from "@jibe/testkit/peers";
import { describe, expect, test } from "vitest";
import { isAlive } from "../test/is-alive.ts";
import { verifyHost } from "../test/verify-host.ts";

const goEcho = () => buildGoProgram(join(import.meta.dirname, "../test/go/echo"), testScope());
const ourEcho = join(import.meta.dirname, "../test/fixtures/echo-plugin.ts");

verifyHost("a plugin in Go", goEcho);

describe("a host in Go", () => {
  test("can use all of our plugin and ends it without force", async () => {
    const { exitCode, stdout, stderr } = await runCommand(await goEcho(), ["host", ourEcho], {}, testScope());
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const checks = ["ping", "say", "20 MiB", "error", "deadline", "streams", "chat", "print", "log", "broker", "end"];
    expect(stdout.trim().split("\n")).toEqual(checks.map((check) => `${check} passed`));
  });
});

describe("our host", () => {
  test("leaves no Go plugin behind when it is killed", async () => {
    const fixture = join(import.meta.dirname, "../test/fixtures/host.ts");
    const host = spawn(process.execPath, [fixture, await goEcho()], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(host.stdout, "data");
    const pid = Number(String(line).split(" ")[0]);
    expect(isAlive(pid)).toBe(true);
    host.kill("SIGKILL");
    await eventually(() => !isAlive(pid));
  });
});
