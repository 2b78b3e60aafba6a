import { describe, expect, test } from "vitest";
import { backUp } from "../../test/backup-harness.ts";
import { configMap, namespace } from "../../test/builders.ts";
import { backupAction, memoryPlugins } from "../../test/memory-plugins.ts";

/** Backs up ConfigMaps of which each asks for others, and gives the order in which their actions ended. */
async function backUpAsking(asks: Readonly<Record<string, readonly string[]>>, concurrency: number) {
  const names = [...new Set([...Object.keys(asks), ...Object.values(asks).flat()])];
  const runs: string[] = [];
  const ask = backupAction("example.io/ask", { includedResources: ["configmaps"] }, async (item) => {
    await new Promise((resolve) => setImmediate(resolve));
    runs.push(item.metadata.name);
    const wanted = asks[item.metadata.name] ?? [];
    return { additionalItems: wanted.map((name) => ({ groupResource: "configmaps", namespace: "a", name })) };
  });
  const stored: string[] = [];
  const outcome = await backUp({
    objects: [namespace("a"), ...names.map((name) => configMap(`a/${name}`))],
    plugins: memoryPlugins({ backup: [ask] }),
    options: { itemBlockConcurrency: concurrency },
  });
  for (const { resource, name, outcome: how } of outcome.ledger()) {
    if (resource === "configmaps" && how === "stored") stored.push(name);
  }
  expect(outcome.result.phase).toBe("Finalizing");
  expect(stored.toSorted()).toEqual(names.toSorted());
  expect(runs.toSorted()).toEqual(names.toSorted());
  return stored;
}

for (const concurrency of [1, 32]) {
  describe(`with ${concurrency} at once`, () => {
    test("a circle of requests ends, each item stored once", async () => {
      await backUpAsking({ a: ["b"], b: ["a"] }, concurrency);
      await backUpAsking({ a: ["b"], b: ["c"], c: ["a"] }, concurrency);
      await backUpAsking({ a: ["a"] }, concurrency);
    });

    test("a chain of 100 is stored from its end", async () => {
      const name = (index: number) => `n${String(index).padStart(3, "0")}`;
      const chain = Object.fromEntries(Array.from({ length: 99 }, (_, index) => [name(index), [name(index + 1)]]));
      const stored = await backUpAsking(chain, concurrency);
      expect(stored).toEqual(Array.from({ length: 100 }, (_, index) => name(99 - index)));
    });

    test("500 that ask for one are all stored after it", async () => {
      const asks = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`n${index}`, ["z"]]));
      const stored = await backUpAsking(asks, concurrency);
      expect(stored[0]).toBe("z");
      expect(stored).toHaveLength(501);
    });

    test("a tangle of circles ends", async () => {
      const asks: Record<string, string[]> = {};
      for (let index = 0; index < 60; index++) {
        asks[`n${index}`] = [1, 7, 31].map((step) => `n${(index * 3 + step) % 60}`);
      }
      await backUpAsking(asks, concurrency);
    });
  });
}
