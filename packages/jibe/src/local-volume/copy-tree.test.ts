import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tempDir, testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { copyTree, treeTotals } from "./copy-tree.ts";
import { describeTree, makeRichTree, scope } from "./test/trees.ts";

const quiet = { onBytes: () => {}, onSkipped: () => {}, parallelFiles: 4 };

test("a copy has the same names, content, permissions, owners, links and times", async () => {
  await using folder = await tempDir("tree");
  const source = join(folder.path, "source");
  await mkdir(source);
  await using _socket = await makeRichTree(source);
  const target = join(folder.path, "target");
  const skipped: string[] = [];
  let bytes = 0;
  const onBytes = (count: number) => {
    bytes += count;
  };
  await copyTree({ ...quiet, source, target, onBytes, onSkipped: (path) => skipped.push(path) }, scope);
  const want = await describeTree(source);
  expect(want.length).toBeGreaterThan(14);
  expect(await describeTree(target)).toEqual(want);
  expect(skipped.sort()).toEqual(["/pipe", "/socket"]);
  expect(bytes).toBe((await treeTotals(source, scope)).bytes);
});

test("holes stay holes and allocated zeros stay allocated", async () => {
  await using folder = await tempDir("tree");
  const source = join(folder.path, "source");
  await mkdir(source);
  await using _socket = await makeRichTree(source);
  const target = join(folder.path, "target");
  await copyTree({ ...quiet, source, target }, scope);
  const sparse = await stat(join(target, "sparse"));
  expect(sparse.size).toBe(20 * 1024 * 1024);
  expect(sparse.blocks * 512).toBeLessThan(1024 * 1024);
  expect((await stat(join(target, "a", "allocated-zeros"))).blocks * 512).toBeGreaterThanOrEqual(300_000);
  const [text, same] = await Promise.all(["text", "b/same-as-text"].map((name) => stat(join(target, "a", name))));
  expect(text?.ino).toBe(same?.ino);
});

test("a copy of many files in many folders is complete at any width", async () => {
  await using folder = await tempDir("tree");
  const source = join(folder.path, "source");
  for (let index = 0; index < 40; index++) {
    const inner = join(source, `f${index % 7}`, `g${index}`);
    await mkdir(inner, { recursive: true });
    await Promise.all(Array.from({ length: 10 }, (_, file) => writeFile(join(inner, `${file}`), `${index}/${file}`)));
  }
  for (const parallelFiles of [1, 16]) {
    const target = join(folder.path, `target-${parallelFiles}`);
    await copyTree({ ...quiet, source, target, parallelFiles }, scope);
    expect(await describeTree(target)).toEqual(await describeTree(source));
  }
});

test("a link out of the volume is copied, never followed", async () => {
  await using folder = await tempDir("tree");
  const source = join(folder.path, "source");
  await mkdir(source);
  await writeFile(join(folder.path, "secret"), "secret");
  const { symlink } = await import("node:fs/promises");
  await symlink(folder.path, join(source, "out"));
  await symlink(join(folder.path, "secret"), join(source, "file"));
  const target = join(folder.path, "target");
  await copyTree({ ...quiet, source, target }, scope);
  expect((await describeTree(target)).filter((line) => line.startsWith("file"))).toEqual([]);
  expect((await readdir(target)).sort()).toEqual(["file", "out"]);
});

test("a stopped copy ends with the signal's reason", async () => {
  await using folder = await tempDir("tree");
  using stopping = testScope();
  const source = join(folder.path, "source");
  await mkdir(source);
  await writeFile(join(source, "big"), Buffer.alloc(8 * 1024 * 1024, 1));
  const reason = new Error("enough");
  const copy = { ...quiet, source, target: join(folder.path, "target"), onBytes: () => stopping.abort(reason) };
  await expect(copyTree(copy, stopping)).rejects.toBe(reason);
});

test("a source that is gone is said plainly", async () => {
  await using folder = await tempDir("tree");
  const copy = { ...quiet, source: join(folder.path, "gone"), target: join(folder.path, "target") };
  await expect(copyTree(copy, scope)).rejects.toMatchObject({ code: "NotFound" });
});
