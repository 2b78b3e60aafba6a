import { gunzipSync } from "node:zlib";
import { AppError } from "@jibe/base";
import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { memoryScratch } from "../../test/memory-scratch.ts";
import { createGzipBlocks } from "./gzip-blocks.ts";

test("bytes, zeros and text come out in order, whole across blocks, whatever their size", async () => {
  using scope = testScope();
  await using sink = await memoryScratch().create("sink", scope);
  const blocks = createGzipBlocks({ sink, blockBytes: 1000, parallel: 3 }, scope);
  const written: Buffer[] = [];
  for (let index = 0; index < 400; index++) {
    const bytes = Buffer.alloc((index * 37) % 2500, index % 251);
    const text = `grüße ${"世界🚢".repeat(index % 130)}\n`;
    blocks.write(bytes);
    blocks.writeZeros(index % 1700);
    blocks.writeText(text);
    written.push(bytes, Buffer.alloc(index % 1700), Buffer.from(text));
    await blocks.room();
  }
  await blocks.flush();
  const stored = Buffer.concat(await Array.fromAsync(sink.stream(scope)));
  expect(gunzipSync(stored).equals(Buffer.concat(written))).toBe(true);
});

test("what was written may be changed afterwards: blocks that are used again are stored by then", async () => {
  using scope = testScope();
  await using sink = await memoryScratch().create("sink", scope);
  const blocks = createGzipBlocks({ sink, blockBytes: 64, parallel: 2 }, scope);
  const line = Buffer.alloc(48);
  for (let index = 0; index < 1000; index++) {
    line.fill(`${index} `);
    blocks.write(line);
    await blocks.room();
  }
  await blocks.flush();
  const content = gunzipSync(Buffer.concat(await Array.fromAsync(sink.stream(scope))));
  expect(content.subarray(48 * 777, 48 * 778).equals(Buffer.alloc(48).fill("777 "))).toBe(true);
});

test("room is asked for once too many blocks are in the making, and comes when the oldest is stored", async () => {
  using scope = testScope();
  const gate = Promise.withResolvers<void>();
  await using file = await memoryScratch().create("sink", scope);
  const sink = {
    append: async (bytes: Uint8Array) => {
      await gate.promise;
      return file.append(bytes, scope);
    },
    read: file.read.bind(file),
    stream: file.stream.bind(file),
    size: 0,
    [Symbol.asyncDispose]: async () => {},
  };
  const blocks = createGzipBlocks({ sink, blockBytes: 10, parallel: 2 }, scope);
  blocks.writeZeros(19);
  expect(blocks.room()).toBeUndefined();
  blocks.writeZeros(1);
  const room = blocks.room();
  expect(room).toBeDefined();
  gate.resolve();
  await room;
  expect(blocks.room()).toBeUndefined();
  await blocks.settled();
});

test("after a failure nothing more is stored, and whoever asks gets the first error", async () => {
  using scope = testScope();
  await using sink = await memoryScratch({ capacity: 60 }).create("sink", scope);
  const blocks = createGzipBlocks({ sink, blockBytes: 100, parallel: 2 }, scope);
  for (let index = 0; index < 20; index++) {
    blocks.writeZeros(100);
    await blocks.room();
  }
  await expect(blocks.flush()).rejects.toBeInstanceOf(AppError);
  expect(blocks.failure?.error).toMatchObject({ code: "Unavailable" });
  expect(sink.size).toBeLessThanOrEqual(60);
});
