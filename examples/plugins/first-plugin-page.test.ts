import { spawnSync } from "node:child_process";
import { chmod, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatReport, verifyPlugin } from "@jibe/plugin-sdk/verify";
import { type TempDir, tempDir, testScope } from "@jibe/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

describe("the page about the first plugin", { timeout: 60_000 }, () => {
  let dir: TempDir;
  let page: string;
  beforeAll(async () => {
    dir = await tempDir("first-plugin");
    await symlink(join(root, "node_modules"), join(dir.path, "node_modules"));
    await writeFile(join(dir.path, "package.json"), '{ "type": "module" }');
    page = await readFile(join(root, "docs/plugins/write-your-first-plugin.md"), "utf8");
    for (const [, name = "", code = ""] of page.matchAll(/```ts file=(\S+)\n(.*?)```/gs)) {
      await writeFile(join(dir.path, name), code);
      await chmod(join(dir.path, name), 0o755);
    }
  });
  afterAll(() => dir[Symbol.asyncDispose]());

  for (const name of ["greeter.ts", "slow-greeter.ts"]) {
    test(`${name} is a good plugin`, async () => {
      using scope = testScope();
      const report = await verifyPlugin(join(dir.path, name), {}, scope);
      expect(report.ok, formatReport(report)).toBe(true);
    });
  }

  test("its bundle is one file that needs no packages", async () => {
    const [bundle = ""] = /npx esbuild .*\nchmod .*/.exec(page) ?? [];
    const made = spawnSync("sh", ["-ec", bundle], { cwd: dir.path, encoding: "utf8" });
    expect(made).toMatchObject({ status: 0 });
    await using alone = await tempDir("first-plugin-alone");
    await rename(join(dir.path, "greeter"), join(alone.path, "greeter"));
    const report = await verifyPlugin(join(alone.path, "greeter"));
    expect(report.ok, formatReport(report)).toBe(true);
  });

  test("its test passes", () => {
    const { status, stdout, stderr } = spawnSync("node", ["greeter.test.ts"], { cwd: dir.path, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain(" 0 failed");
  });
});
