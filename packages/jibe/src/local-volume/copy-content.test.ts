import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { open, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { tempDir, testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { type CopyMethod, copyContent } from "./copy-content.ts";

const run = promisify(execFile);

/** Whether `cp` can make a copy there that shares its blocks. */
const canShareBlocks = (from: string) =>
  run("cp", ["--reflink=always", from, `${from}.shared`]).then(
    () => true,
    () => false,
  );

test("a copy shares the blocks of its source where the file system can, and is made in chunks elsewhere", async () => {
  await using folder = await tempDir("content");
  using scope = testScope();
  const source = join(folder.path, "source");
  const content = randomBytes(3 * 1024 * 1024 + 7);
  await writeFile(source, content);
  const method: CopyMethod = { canClone: true };
  const seen: number[] = [];
  {
    await using from = await open(source);
    const target = Buffer.from(join(folder.path, "copy"));
    const onBytes = (count: number) => seen.push(count);
    await using _copy = await copyContent(
      { from, target, size: content.length, isSparse: false, method, onBytes },
      scope,
    );
  }
  const isShared = await canShareBlocks(source);
  expect(method.canClone).toBe(isShared);
  expect(seen).toEqual(isShared ? [content.length] : [1048576, 1048576, 1048576, 7]);
  expect((await readFile(join(folder.path, "copy"))).equals(content)).toBe(true);
});
