import { expect, test } from "vitest";
import { bodyParts, firstPartBytes } from "./body-parts.ts";

async function* chunksOf(size: number, total: number): AsyncGenerator<Uint8Array> {
  for (let done = 0; done < total; done += size) yield Buffer.alloc(Math.min(size, total - done), done % 251);
}

const cases: Record<string, { total: number; chunk: number; want: [number, number, boolean][] }> = {
  "an empty body is one empty part": { total: 0, chunk: 1, want: [[1, 0, true]] },
  "a short body is one part": { total: 10, chunk: 3, want: [[1, 10, true]] },
  "a body of exactly one part is one part": {
    total: firstPartBytes,
    chunk: 1_000_000,
    want: [[1, firstPartBytes, true]],
  },
  "one byte more makes a second part": {
    total: firstPartBytes + 1,
    chunk: 1_000_000,
    want: [
      [1, firstPartBytes, false],
      [2, 1, true],
    ],
  },
  "a chunk larger than a part is cut": {
    total: 2 * firstPartBytes + 5,
    chunk: 2 * firstPartBytes + 5,
    want: [
      [1, firstPartBytes, false],
      [2, firstPartBytes, false],
      [3, 5, true],
    ],
  },
};
for (const [name, { total, chunk, want }] of Object.entries(cases)) {
  test(name, async () => {
    const seen: [number, number, boolean][] = [];
    for await (const { number, bytes, isLast } of bodyParts(chunksOf(chunk, total), [])) {
      seen.push([number, bytes.length, isLast]);
    }
    expect(seen).toEqual(want);
  });
}
