import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { eventually, tempDir } from "@jibe/testkit";
import { expect, test } from "vitest";

const program = join(import.meta.dirname, "../../packages/jibe/bin/jibe.js");

test("a terminal that is closed ends a quickstart, which leaves nothing behind", { timeout: 180_000 }, async () => {
  await using dir = await tempDir("hangup");
  const env = { PATH: process.env["PATH"], HOME: dir.path, TMPDIR: dir.path };
  const child = spawn(process.execPath, [program, "quickstart", "--keep"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  using _ended = { [Symbol.dispose]: () => child.kill("SIGKILL") };
  let printed = "";
  child.stdout.on("data", (chunk) => (printed += String(chunk)));
  await eventually(() => printed.includes("Everything stays until Ctrl-C"), { timeoutMs: 120_000 });
  const ours = () => readdirSync(dir.path).filter((name) => name.startsWith("jibe-"));
  expect(ours()).toEqual([expect.stringMatching(/^jibe-quickstart-/)]);
  const exited = once(child, "exit");
  child.kill("SIGHUP");
  expect(await exited).toEqual([0, null]);
  expect(ours()).toEqual([]);
});
