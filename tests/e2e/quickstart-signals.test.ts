import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { eventually, tempDir } from "@jibe/testkit";
import { expect, test } from "vitest";

const program = join(import.meta.dirname, "../../packages/jibe/bin/jibe.js");

const cases = {
  "a terminal that is closed ends a quickstart that was kept": {
    shown: "Everything stays until Ctrl-C",
    signal: "SIGHUP",
    code: 0,
  },
  "Ctrl-C ends a quickstart in the midst of its story": { shown: "1. A cluster", signal: "SIGINT", code: 130 },
} as const;
for (const [name, { shown, signal, code }] of Object.entries(cases)) {
  test(`${name}, and it leaves nothing behind`, { timeout: 180_000 }, async () => {
    await using dir = await tempDir("hangup");
    const env = { PATH: process.env["PATH"], HOME: dir.path, TMPDIR: dir.path };
    const stdio = ["ignore", "pipe", "inherit"] as const;
    const child = spawn(process.execPath, [program, "quickstart", "--keep"], { env, stdio: [...stdio] });
    using _ended = { [Symbol.dispose]: () => void child.kill("SIGKILL") };
    let printed = "";
    child.stdout?.on("data", (chunk) => (printed += String(chunk)));
    const ours = () => readdirSync(dir.path).filter((entry) => entry.startsWith("jibe-"));
    await eventually(() => printed.includes(shown) && ours().length > 0, { timeoutMs: 120_000 });
    const exited = once(child, "exit");
    child.kill(signal);
    expect(await exited).toEqual([code, null]);
    expect(ours()).toEqual([]);
  });
}
