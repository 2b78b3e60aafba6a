import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, readdir, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { type Scope, silentLogger } from "@jibe/base";
import { tempDir } from "@jibe/testkit";
import { expect, test } from "vitest";
import { BlockFile } from "./block-file.ts";
import { openFileScratch } from "./file-scratch.ts";
import { hasEnded, markAsText, ownProcessMark } from "./process-mark.ts";

const scope: Scope = { signal: new AbortController().signal, log: silentLogger };

test("what was appended is read back at its offset, before and after it was written", async () => {
  await using directory = await tempDir("scratch");
  await using scratch = await openFileScratch(directory.path, scope);
  await using file = await scratch.create("items", scope);
  const pieces = Array.from({ length: 3000 }, (_, index) => Buffer.from(`${index}:`.padEnd(1 + (index % 700), "x")));
  const offsets = await Promise.all(pieces.map((piece) => file.append(piece, scope)));
  for (const index of [0, 1, 1500, 2998, 2999]) {
    const piece = pieces[index] as Buffer;
    expect(Buffer.from(await file.read(offsets[index] as number, piece.length, scope))).toEqual(piece);
  }
  expect(await contentOf(file)).toEqual(Buffer.concat(pieces));
  expect(file.size).toBe(Buffer.concat(pieces).length);
});

test("an append may be larger than a block and the caller may reuse its buffer afterwards", async () => {
  await using directory = await tempDir("scratch");
  await using scratch = await openFileScratch(directory.path, scope);
  await using file = await scratch.create("big", scope);
  const buffer = Buffer.alloc(700_000, 1);
  await file.append(Buffer.from("first"), scope);
  await file.append(buffer, scope);
  buffer.fill(2);
  await file.append(buffer.subarray(0, 10), scope);
  buffer.fill(3);
  const want = Buffer.concat([Buffer.from("first"), Buffer.alloc(700_000, 1), Buffer.alloc(10, 2)]);
  expect(await contentOf(file)).toEqual(want);
  expect(Buffer.from(await file.read(3, 700_010, scope))).toEqual(want.subarray(3, 700_013));
});

test("reading beyond the end is refused", async () => {
  await using directory = await tempDir("scratch");
  await using scratch = await openFileScratch(directory.path, scope);
  await using file = await scratch.create("short", scope);
  await file.append(Buffer.from("abc"), scope);
  await expect(file.read(1, 3, scope)).rejects.toMatchObject({ code: "InvalidArgument" });
});

test("files and their folder belong to this user alone and are gone when disposed", async () => {
  await using directory = await tempDir("scratch");
  {
    await using scratch = await openFileScratch(directory.path, scope);
    await using _file = await scratch.create("a name / with odd things", scope);
    const [folder] = await readdir(directory.path);
    const inside = join(directory.path, folder as string);
    const [name] = await readdir(inside);
    expect((await stat(inside)).mode & 0o777).toBe(0o700);
    expect((await stat(join(inside, name as string))).mode & 0o777).toBe(0o600);
  }
  expect(await readdir(directory.path)).toEqual([]);
});

test("leftovers of dead processes go, those of living and of other machines' processes stay", async () => {
  await using directory = await tempDir("scratch");
  const child = spawn(process.execPath, ["-e", ""], { stdio: "ignore" });
  await once(child, "exit");
  const own = await ownProcessMark();
  const folders = {
    dead: markAsText({ host: hostname(), pid: child.pid as number, started: 0 }),
    reused: markAsText({ ...own, started: own.started + 1 }),
    alive: markAsText(own),
    elsewhere: markAsText({ host: "another-host-7", pid: child.pid as number, started: 0 }),
  };
  for (const mark of Object.values(folders)) {
    await mkdir(join(directory.path, `jibe-scratch-${mark}-0123456789ab`, "x"), { recursive: true });
  }
  await mkdir(join(directory.path, "somebody-elses"));
  await using _scratch = await openFileScratch(directory.path, scope);
  const left = (await readdir(directory.path)).join("\n");
  expect(left).not.toContain(folders.dead);
  if (own.started !== 0) expect(left).not.toContain(folders.reused);
  expect(left).toContain(folders.alive);
  expect(left).toContain(folders.elsewhere);
  expect(left).toContain("somebody-elses");
  expect(await hasEnded(own)).toBe(false);
});

test.runIf(process.platform === "linux")("a full disk is said plainly, and the file stays failed", async () => {
  await using file = new BlockFile(await open("/dev/full", "r+"), "/dev/full");
  await expect(file.append(Buffer.alloc(300_000), scope)).rejects.toMatchObject({
    code: "Unavailable",
    message: "cannot write scratch file /dev/full: the disk is full",
  });
  await expect(file.append(Buffer.from("more"), scope)).rejects.toMatchObject({ code: "Unavailable" });
  await expect(file.read(0, 10, scope)).rejects.toMatchObject({ code: "Unavailable" });
});

test.runIf(process.platform === "linux")(
  "a small append to a full disk fails at the latest when it is read",
  async () => {
    await using file = new BlockFile(await open("/dev/full", "r+"), "/dev/full");
    await file.append(Buffer.from("small"), scope);
    await expect(contentOf(file)).rejects.toMatchObject({ code: "Unavailable" });
  },
);

test("a stopped scope stops appends with its reason", async () => {
  await using directory = await tempDir("scratch");
  await using scratch = await openFileScratch(directory.path, scope);
  await using file = await scratch.create("stopped", scope);
  const reason = new Error("enough");
  await expect(file.append(Buffer.from("x"), { ...scope, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

async function contentOf(file: { stream(scope: Scope): AsyncIterable<Uint8Array> }): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.stream(scope)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
