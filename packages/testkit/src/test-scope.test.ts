import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "./temp-dir.ts";
import { testScope } from "./test-scope.ts";

test("a test scope collects what is logged", () => {
  using scope = testScope();
  scope.log.with({ backup: "daily" }).info("started", { items: 2 });
  scope.log.warn("odd");
  expect(scope.lines[0]).toEqual({ level: "info", message: "started", fields: { backup: "daily", items: 2 } });
  expect(scope.messages("warn")).toEqual(["odd"]);
});

test("a test scope is stopped when disposed", () => {
  const scope = testScope();
  expect(scope.signal.aborted).toBe(false);
  scope[Symbol.dispose]();
  expect(scope.signal.aborted).toBe(true);
});

test("a temporary folder goes with all in it", async () => {
  const dir = await tempDir("words");
  await writeFile(join(dir.path, "file"), "content");
  await dir[Symbol.asyncDispose]();
  expect(existsSync(dir.path)).toBe(false);
});
