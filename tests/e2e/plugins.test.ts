import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TempDir, tempDir } from "@jibe/testkit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startCaptured } from "./product/captured-process.ts";

const goodPlugin = join(import.meta.dirname, "../../examples/plugins/small/plugin.ts");

let dir: TempDir;
beforeEach(async () => {
  dir = await tempDir("e2e-plugins");
});
afterEach(() => dir[Symbol.asyncDispose]());

async function script(name: string, text: string): Promise<string> {
  const path = join(dir.path, name);
  await writeFile(path, `#!/bin/sh\n${text}\n`);
  await chmod(path, 0o755);
  return path;
}

describe("jibe plugin verify", { timeout: 120_000 }, () => {
  const verify = (path: string) => startCaptured(["plugin", "verify", path], { env: process.env }).ended;

  test("ends well for a good plugin and tells each check", async () => {
    const { exitCode, out } = await verify(goodPlugin);
    expect(out).toMatch(/^ {2}ok +starts and says where it listens$/m);
    expect(out).toMatch(/\n\d+ passed, 0 failed, \d+ skipped\n$/);
    expect(exitCode).toBe(0);
  });

  test("fails for what is no plugin, and quotes what it said", async () => {
    const { exitCode, out } = await verify(await script("greeter", "echo hello there"));
    expect(out).toMatch(/^ {2}FAILED +starts and says where it listens\n.*hello there/m);
    expect(exitCode).toBe(1);
  });
});

describe("the server", { timeout: 120_000 }, () => {
  test("gives plugins its flags and the variables it was told to, and refuses broken ones when it is strict", async () => {
    const kubeconfig = join(dir.path, "kubeconfig");
    const nowhere = { server: "http://127.0.0.1:1" };
    await writeFile(
      kubeconfig,
      JSON.stringify({
        clusters: [{ name: "nowhere", cluster: nowhere }],
        contexts: [{ name: "nowhere", context: { cluster: "nowhere", user: "" } }],
        "current-context": "nowhere",
      }),
    );
    const seen = join(dir.path, "seen");
    const broken = await script("broken", `env > ${seen}; echo "arguments $*" >> ${seen}; exit 7`);
    const flags = [
      `--kubeconfig=${kubeconfig}`,
      `--plugin-dir=${dir.path}`,
      "--plugin-env=GREETING,ABSENT",
      "--strict-plugins",
      "--log-level=debug",
    ];
    const env = { PATH: process.env["PATH"], GREETING: "hello", PASSWORD: "secret" };
    const { exitCode, err } = await startCaptured(["server", ...flags], { env }).ended;
    expect(err).toContain(`plugin ${broken} cannot be used: `);
    expect(err).toContain("exited with status 7");
    expect(exitCode).toBe(1);
    const told = await readFile(seen, "utf8");
    expect(told).toContain("\nGREETING=hello\n");
    expect(told).not.toContain("PASSWORD");
    expect(told).toContain(`arguments ${flags.join(" ")}\n`);
  });
});
