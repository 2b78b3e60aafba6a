import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { eventually } from "../eventually.ts";
import { tempDir } from "../temp-dir.ts";
import { testScope } from "../test-scope.ts";
import { takeLock } from "./build-lock.ts";

describe("the build lock", () => {
  test("is held by one at a time", async () => {
    using scope = testScope();
    await using dir = await tempDir();
    const file = join(dir.path, "cache", "build.lock");
    const first = await takeLock(file, scope);
    let second: AsyncDisposable | undefined;
    const waiting = takeLock(file, scope).then((lock) => {
      second = lock;
    });
    await eventually(() => scope.messages().includes("waiting for another process that builds"));
    expect(second).toBeUndefined();
    await first[Symbol.asyncDispose]();
    await waiting;
    await second?.[Symbol.asyncDispose]();
    expect(existsSync(file)).toBe(false);
  });

  test("is taken from a process that died", async () => {
    using scope = testScope();
    await using dir = await tempDir();
    const file = join(dir.path, "build.lock");
    const { pid } = spawnSync("true");
    await writeFile(file, String(pid));
    await using _lock = await takeLock(file, scope);
    expect(await readFile(file, "utf8")).toBe(String(process.pid));
  });
});

test("building the peers without Go says what to install", async () => {
  await using dir = await tempDir();
  const main = fileURLToPath(new URL("./main.ts", import.meta.url));
  const env = { PATH: dir.path, XDG_CACHE_HOME: dir.path };
  const { status, stderr } = spawnSync(process.execPath, [main, "build"], { env, encoding: "utf8" });
  expect(stderr).toContain("install Go 1.26 or newer");
  expect(status).toBe(1);
});
