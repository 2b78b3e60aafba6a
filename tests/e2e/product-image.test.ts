import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@jibe/testkit";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");

test("the image holds every package that the program loads, and runs as nobody in particular", async () => {
  await using dir = await tempDir("image");
  const folders = [...dockerfile.matchAll(/^COPY (packages\/\S+) \1$/gm)].map(([, folder = ""]) => folder);
  expect(folders).toContain("packages/jibe");
  mkdirSync(join(dir.path, "node_modules/@jibe"), { recursive: true });
  for (const folder of folders) {
    cpSync(join(root, folder, "src"), join(dir.path, folder, "src"), { recursive: true });
    for (const file of folder === "packages/jibe" ? ["package.json", "bin"] : ["package.json"])
      cpSync(join(root, folder, file), join(dir.path, folder, file), { recursive: true });
    const { name } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as { name: string };
    symlinkSync(join(dir.path, folder), join(dir.path, "node_modules", name));
  }
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [join(dir.path, "packages/jibe/bin/jibe.js"), ...args], { encoding: "utf8" });
  expect(run("version", "--client-only")).toMatch(/Version: v\d/);
  expect(run("server", "--help")).toContain("--concurrent-backups");
  expect(dockerfile).toMatch(/^USER 65532:65532$/m);
});
