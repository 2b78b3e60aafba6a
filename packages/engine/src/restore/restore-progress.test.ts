import { eventually, testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { configMap, namespace } from "../../test/builders.ts";
import { restoreAction } from "../../test/memory-plugins.ts";
import { restoreWorld, runInWorld } from "../../test/restore-world.ts";

const patiently = { timeoutMs: 60_000 };
const many = Array.from({ length: 300 }, (_, index) => configMap(`shop/c${index}`));

test("the total follows the formula, the restored never falls, and the final pair is exact", async () => {
  const world = await runInWorld({ backedUp: [namespace("shop"), ...many], settings: { concurrency: 4 } });
  const restored = world.events.map(({ itemsDone }) => itemsDone);
  expect(restored).toEqual([...restored].sort((a, b) => a - b));
  expect(world.statuses.at(-1)).toEqual({ progress: { totalItems: 301, itemsRestored: 301 } });
  expect(world.events.at(-1)).toMatchObject({ step: "upload", itemsDone: 301, itemsTotal: 301 });
});

test("events tell the wave, the speed, and the item that has been in hand the longest", {
  timeout: 120_000,
}, async () => {
  using scope = testScope();
  const held = Promise.withResolvers<void>();
  const action = restoreAction("x/holds", { includedResources: ["cm"] }, async ({ metadata }) => {
    if (metadata.name === "c0") await held.promise;
    return {};
  });
  const world = await restoreWorld({ backedUp: [namespace("shop"), ...many], actions: [action] }, scope);
  const running = world.run();
  const shown = await eventually(() => world.events.find(({ item }) => item === "shop/c0"), patiently);
  expect(shown).toMatchObject({ step: "items", wave: "configmaps", groupResource: "configmaps" });
  const created = () => world.cluster.calls.filter((call) => call.startsWith("create configmaps")).length;
  await eventually(() => created() === 299, patiently);
  held.resolve();
  await running;
  expect(world.events.some(({ itemsPerSecond }) => itemsPerSecond > 0)).toBe(true);
});
