import { expect, test } from "vitest";
import { backUp } from "../../test/backup-harness.ts";
import { configMap, namespace } from "../../test/builders.ts";
import { manualClock } from "../../test/manual-clock.ts";
import { backupAction, memoryPlugins } from "../../test/memory-plugins.ts";

test("progress ends exact, and events tell the steps in order", async () => {
  const many = Array.from({ length: 120 }, (_, index) => configMap(`a/c${index}`));
  const outcome = await backUp({ objects: [namespace("a"), ...many] });
  expect(outcome.patches.at(-1)).toEqual({ progress: { totalItems: 121, itemsBackedUp: 121 }, hookStatus: {} });
  expect([...new Set(outcome.events.map(({ step }) => step))]).toEqual([
    "collect",
    "items",
    "operations",
    "upload",
    "done",
  ]);
  expect(outcome.events.at(-1)).toMatchObject({ itemsDone: 121, itemsTotal: 121 });
});

test("while items have their turns, status is patched at most once a second and events tell type and rate", async () => {
  const clock = manualClock();
  const slow = backupAction("example.io/slow", { includedResources: ["configmaps"] }, async () => {
    await clock.advance(250);
    return {};
  });
  const many = Array.from({ length: 20 }, (_, index) => configMap(`a/c${index}`));
  const options = { itemBlockConcurrency: 1 };
  const plugins = memoryPlugins({ backup: [slow] });
  const outcome = await backUp({ objects: [namespace("a"), ...many], plugins, clock, options });
  const seconds = clock.monotonicMs() / 1000;
  expect(seconds).toBe(5);
  expect(outcome.patches.length).toBeGreaterThan(3);
  expect(outcome.patches.length).toBeLessThanOrEqual(seconds + 1);
  expect(outcome.patches.at(-1)).toMatchObject({ progress: { totalItems: 21, itemsBackedUp: 21 } });
  const turns = outcome.events.filter(({ groupResource }) => groupResource === "configmaps");
  expect(turns.length).toBeGreaterThan(15);
  expect(turns.at(-1)).toMatchObject({
    step: "items",
    itemsTotal: 21,
    itemsPerSecond: (turns.at(-1)?.itemsDone ?? 0) / 5,
  });
});
