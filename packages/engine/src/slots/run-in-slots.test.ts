import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { runInSlots } from "./run-in-slots.ts";
import type { Slot } from "./slots.ts";

test("an item that waits holds no slot: work behind it goes on", async () => {
  using scope = testScope();
  const gate = Promise.withResolvers<void>();
  const order: string[] = [];
  const each = async (item: string, slot: Slot) => {
    if (item === "waits") await slot.without(() => gate.promise, scope);
    order.push(item);
    if (item === "third") gate.resolve();
  };
  const items = (async function* () {
    yield* ["waits", "second", "third"];
  })();
  await runInSlots(items, { limit: 1, each }, scope);
  expect(order).toEqual(["second", "third", "waits"]);
});

test("the first failure stops the rest and is thrown once all have ended", async () => {
  using scope = testScope();
  let running = 0;
  const started: number[] = [];
  const items = (async function* () {
    for (let index = 0; index < 100; index++) yield index;
  })();
  const each = async (item: number) => {
    started.push(item);
    running++;
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    if (item === 3) throw new Error("boom");
  };
  await expect(runInSlots(items, { limit: 4, each }, scope)).rejects.toThrow("boom");
  expect(running).toBe(0);
  expect(started.length).toBeLessThan(20);
});
