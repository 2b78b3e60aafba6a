import { AppError } from "@jibe/base";
import type { ResourceIdentifier } from "@jibe/plugin-sdk/contracts";
import { type FakeClock, fakeClock, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { configMap, namespace, object, pod } from "../../test/builders.ts";
import { restoreAction } from "../../test/memory-plugins.ts";
import { restoreWorld, type WorldOptions } from "../../test/restore-world.ts";

const secret = (place: string) => object("v1", "Secret", place);
const secretId = (name: string): ResourceIdentifier => ({ groupResource: "secrets", namespace: "shop", name });

/** Moves the clock to the next sleep whenever somebody sleeps, until the work is done. */
async function driven<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  let isDone = false;
  const finished = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const [nextMs] = clock.pendingSleeps();
    if (nextMs === undefined) await new Promise((resolve) => setImmediate(resolve));
    else await clock.advance(nextMs);
  }
  return finished;
}

describe("waiting for additional items", () => {
  interface Waiting {
    readonly answers: (call: number) => boolean | Error;
    readonly timeoutMs?: number;
    readonly settings?: WorldOptions["settings"];
  }
  async function wait({ answers, timeoutMs = 0, settings = {} }: Waiting) {
    using scope = testScope();
    const clock = fakeClock();
    const asked: { atMs: number; items: readonly ResourceIdentifier[] }[] = [];
    const action = restoreAction(
      "x/wait",
      { includedResources: ["pods"] },
      () => ({
        additionalItems: [secretId("s"), secretId("refused"), secretId("absent"), secretId("there")],
        waitForAdditionalItems: true,
        additionalItemsReadyTimeoutMs: timeoutMs,
      }),
      {
        areAdditionalItemsReady: async (items) => {
          asked.push({ atMs: clock.monotonicMs(), items });
          const answer = answers(asked.length);
          if (answer instanceof Error) throw answer;
          return answer;
        },
      },
    );
    const later = restoreAction("x/later", { includedResources: ["pods"] }, (item) => ({
      item: { ...item, metadata: { ...item.metadata, annotations: { later: String(clock.monotonicMs()) } } },
    }));
    const world = await restoreWorld(
      {
        backedUp: [pod("shop/p"), secret("shop/s"), secret("shop/refused"), secret("shop/there")],
        objects: [object("v1", "Namespace", "target"), { ...secret("target/there"), data: { other: "1" } }],
        actions: [action, later],
        clock,
        settings,
        spec: { namespaceMapping: { shop: "target" } },
        fault: (call) => {
          if (call === "create secrets target/refused") throw new AppError("InvalidArgument", "denied by webhook");
        },
      },
      scope,
    );
    const result = await driven(clock, world.run());
    const found = world.cluster.read("pods", "p", "target");
    const errors = (result.results.errors.namespaces?.["target"] ?? []).filter((text) =>
      text.includes("additional items"),
    );
    return { asked, errors, laterAtMs: Number(found?.metadata.annotations?.["later"]), world };
  }

  test("ready at once: one question, with what exists, under its original namespaces", async () => {
    const { asked, errors, laterAtMs } = await wait({ answers: () => true });
    expect(asked).toEqual([{ atMs: 0, items: [secretId("s"), secretId("there")] }]);
    expect([errors, laterAtMs]).toEqual([[], 0]);
  });

  test("ready later: asked after growing delays, and the next action waits too", async () => {
    const { asked, errors, laterAtMs } = await wait({ answers: (call) => call === 7 });
    expect(asked.map(({ atMs }) => atMs)).toEqual([0, 1000, 2500, 4750, 8125, 13_125, 18_125]);
    expect([errors, laterAtMs]).toEqual([[], 18_125]);
  });

  test("an error ends the wait and is recorded with the plugin's name; the item goes on", async () => {
    const { asked, errors, laterAtMs, world } = await wait({
      answers: (call) => (call === 2 ? new Error("boom") : false),
    });
    expect(asked).toHaveLength(2);
    expect(errors).toEqual(["error verifying additional items are ready to use: plugin x/wait: boom"]);
    expect(laterAtMs).toBe(1000);
    expect(world.ledger()).toContain("pods target/p created");
  });

  const timeouts: Record<string, { timeoutMs?: number; settings: WorldOptions["settings"]; want: number }> = {
    "its own": { timeoutMs: 3000, settings: { additionalItemsReadyTimeoutMs: 9000 }, want: 3000 },
    "the server's": { settings: { additionalItemsReadyTimeoutMs: 9000 }, want: 9000 },
    "the resource timeout": { settings: { resourceTimeoutMs: 7000 }, want: 7000 },
  };
  for (const [name, { timeoutMs = 0, settings, want }] of Object.entries(timeouts)) {
    test(`not ready within ${name}: asked once more at the end, recorded, and the item is created`, async () => {
      const { asked, errors, laterAtMs } = await wait({ answers: () => false, timeoutMs, settings: settings ?? {} });
      expect(asked.at(-1)?.atMs).toBe(want);
      expect(errors).toEqual([
        `error verifying additional items are ready to use: plugin x/wait: not ready within ${want / 1000}s`,
      ]);
      expect(laterAtMs).toBe(want);
    });
  }

  test("an empty list is asked about too", async () => {
    using scope = testScope();
    const asked: unknown[] = [];
    const action = restoreAction("x/wait", { includedResources: ["cm"] }, () => ({ waitForAdditionalItems: true }), {
      areAdditionalItemsReady: async (items) => {
        asked.push(items);
        return true;
      },
    });
    const world = await restoreWorld({ backedUp: [configMap("shop/x")], actions: [action] }, scope);
    await world.run();
    expect(asked).toEqual([[]]);
  });

  test("being canceled ends the wait at once", async () => {
    using scope = testScope();
    const clock = fakeClock();
    const cancel = new AbortController();
    const action = restoreAction("x/wait", { includedResources: ["cm"] }, () => ({ waitForAdditionalItems: true }), {
      areAdditionalItemsReady: async () => false,
    });
    const world = await restoreWorld(
      {
        backedUp: [configMap("shop/x"), secret("shop/s")],
        actions: [action],
        clock,
        cancel: cancel.signal,
        settings: { priorities: { high: ["cm"], low: [] } },
      },
      scope,
    );
    const running = world.run();
    await clock.untilSleeping();
    cancel.abort(new Error("user said so"));
    const { status } = await running;
    expect(status).toMatchObject({
      phase: "Failed",
      failureReason: "user said so",
      progress: { itemsRestored: 2 },
    });
    expect(world.ledger()).toEqual([
      "configmaps shop/x skipped the restore was stopped",
      "namespaces shop created",
      "secrets shop/s skipped the restore was canceled",
    ]);
    expect(world.scratch.open.size).toBe(0);
  });

  for (const concurrency of [1, 32]) {
    test(`500 that wait hold up nobody at concurrency ${concurrency}`, async () => {
      using scope = testScope();
      const clock = fakeClock();
      let ready = false;
      const action = restoreAction("x/wait", { includedResources: ["cm"] }, () => ({ waitForAdditionalItems: true }), {
        areAdditionalItemsReady: async () => ready,
      });
      const waiting = Array.from({ length: 500 }, (_, index) => configMap(`shop/w${index}`));
      const others = Array.from({ length: 50 }, (_, index) => secret(`shop/s${index}`));
      const world = await restoreWorld(
        {
          backedUp: [namespace("shop"), ...waiting, ...others],
          actions: [action],
          clock,
          settings: { concurrency, priorities: { high: [], low: [] } },
        },
        scope,
      );
      const running = world.run();
      await clock.untilSleeping(500);
      const created = () => world.cluster.calls.filter((call) => /^create (secrets|configmaps)/.test(call));
      while (created().length < 50) await new Promise((resolve) => setImmediate(resolve));
      expect(created().every((call) => call.startsWith("create secrets"))).toBe(true);
      ready = true;
      await clock.advance(1000);
      const { status } = await running;
      expect(status).toMatchObject({ errors: 0, progress: { itemsRestored: 551 } });
    });
  }
});
