import { eventually, testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { configMap, namespace, object } from "../../test/builders.ts";
import { restoreAction } from "../../test/memory-plugins.ts";
import { commonTypes, resourceType } from "../../test/memory-types.ts";
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

test("the whole total stands before the first write, also where the target does not serve all types yet", async () => {
  using scope = testScope();
  const widget = resourceType("example.io/v1", "Widget");
  const definition = object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "widgets.example.io", {
    spec: {
      group: "example.io",
      names: { plural: "widgets", kind: "Widget" },
      versions: [{ name: "v1", served: true }],
    },
    status: { conditions: ["Established", "NamesAccepted"].map((type) => ({ type, status: "True" })) },
  });
  const totals: unknown[] = [];
  const world = await restoreWorld(
    {
      backedUp: [namespace("shop"), ...many, definition, object("example.io/v1", "Widget", "shop/w")],
      sourceTypes: [...commonTypes, widget],
      spec: { restoreStatus: { includedResources: ["crd"] } },
      fault: (call) => {
        if (!call.startsWith("create ")) return;
        totals.push(world.events.at(-1)?.itemsTotal);
        if (call.endsWith("widgets.example.io")) world.cluster.addTypes(widget);
      },
    },
    scope,
  );
  await world.run();
  expect([totals[0], totals.length]).toEqual([303, 303]);
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
