import { expect, test } from "vitest";
import { silentLogger } from "./logger.ts";
import { forEachConcurrent, mapConcurrent } from "./map-concurrent.ts";

const open = () => ({ signal: new AbortController().signal, log: silentLogger });

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test("runs no more than the limit at once and reads no further ahead", async () => {
  let running = 0;
  let most = 0;
  let read = 0;
  function* source() {
    for (; read < 100; ) yield read++;
  }
  const each = async (item: number) => {
    most = Math.max(most, ++running);
    expect(read - item).toBeLessThanOrEqual(4);
    await new Promise(setImmediate);
    running--;
    return item;
  };
  const results = await all(mapConcurrent(source(), { limit: 4, each }, open()));
  expect(results.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index));
  expect(most).toBe(4);
});

test("gives results in order when asked to", async () => {
  const gates = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const results = all(
    mapConcurrent(
      [0, 1, 2],
      {
        limit: 3,
        ordered: true,
        each: async (item) => {
          await gates[item]?.promise;
          return item;
        },
      },
      open(),
    ),
  );
  for (const gate of gates.toReversed()) gate.resolve();
  expect(await results).toEqual([0, 1, 2]);
});

test("a failure stops the others and is thrown after they ended", async () => {
  const ended: number[] = [];
  const each = async (item: number, { signal }: { signal: AbortSignal }) => {
    if (item === 0) throw new Error("boom");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    ended.push(item);
  };
  await expect(forEachConcurrent([1, 2, 0, 3], { limit: 3, each }, open())).rejects.toThrow("boom");
  expect(ended).toEqual([1, 2]);
});

test("a stopped scope ends it with the signal's reason", async () => {
  const stopping = new AbortController();
  const each = async () => stopping.abort(new Error("stop"));
  await expect(
    forEachConcurrent([1, 2, 3], { limit: 1, each }, { signal: stopping.signal, log: silentLogger }),
  ).rejects.toThrow("stop");
});
