import { fakeClock, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { AdaptiveLimit, type CallOutcome, type Slot } from "./adaptive-limit.ts";

/** Runs full rounds of calls that each take `ms` and end alike. */
async function runRounds(
  limit: AdaptiveLimit,
  {
    clock,
    rounds,
    ms,
    outcome,
  }: { clock: ReturnType<typeof fakeClock>; rounds: number; ms: number; outcome: CallOutcome },
) {
  using scope = testScope();
  for (let round = 0; round < rounds; round++) {
    const slots: Slot[] = [];
    for (let index = limit.current; index > 0; index--) slots.push(await limit.enter("write", scope));
    await clock.advance(ms);
    for (const slot of slots) slot.end(outcome);
  }
}

describe("the adaptive limit", () => {
  test("holds back what is over the limit and lets it in in order", async () => {
    using scope = testScope();
    const limit = new AdaptiveLimit({ clock: fakeClock(), max: 2 });
    const first = await limit.enter("get", scope);
    const second = await limit.enter("get", scope);
    const order: string[] = [];
    const third = Promise.resolve(limit.enter("get", scope)).then(() => order.push("third"));
    const fourth = Promise.resolve(limit.enter("get", scope)).then(() => order.push("fourth"));
    first.end("ok");
    await third;
    expect(order).toEqual(["third"]);
    second.end("ok");
    await fourth;
    expect(order).toEqual(["third", "fourth"]);
  });

  test("gives no place to who has stopped waiting", async () => {
    using scope = testScope();
    using other = testScope();
    const limit = new AdaptiveLimit({ clock: fakeClock(), max: 1 });
    const first = await limit.enter("get", scope);
    const stopped = Promise.resolve(limit.enter("get", other));
    const waiting = Promise.resolve(limit.enter("get", scope));
    other.abort(new Error("enough"));
    await expect(stopped).rejects.toThrow("enough");
    first.end("ok");
    await waiting;
  });

  test("halves on 429, once for all calls of the same overload, and recovers", async () => {
    const clock = fakeClock();
    const limit = new AdaptiveLimit({ clock, max: 32 });
    await runRounds(limit, { clock, rounds: 1, ms: 10, outcome: "throttled" });
    expect(limit.current).toBe(16);
    await runRounds(limit, { clock, rounds: 1, ms: 10, outcome: "throttled" });
    expect(limit.current).toBe(8);
    await runRounds(limit, { clock, rounds: 40, ms: 10, outcome: "ok" });
    expect(limit.current).toBe(32);
  });

  test("shrinks on failures of the server, but never to a stop", async () => {
    const clock = fakeClock();
    const limit = new AdaptiveLimit({ clock, max: 32 });
    await runRounds(limit, { clock, rounds: 30, ms: 10, outcome: "failed" });
    expect(limit.current).toBe(2);
  });

  test("shrinks when answers take much longer than they did", async () => {
    const clock = fakeClock();
    const limit = new AdaptiveLimit({ clock, max: 32 });
    await runRounds(limit, { clock, rounds: 5, ms: 20, outcome: "ok" });
    expect(limit.current).toBe(32);
    await runRounds(limit, { clock, rounds: 3, ms: 2000, outcome: "ok" });
    expect(limit.current).toBeLessThan(32);
  });

  test("counts one call once, however often it is ended", async () => {
    using scope = testScope();
    const limit = new AdaptiveLimit({ clock: fakeClock(), max: 1 });
    const first = await limit.enter("get", scope);
    first.end("ok");
    first.end("ok");
    await limit.enter("get", scope);
    let entered = false;
    const waiting = Promise.resolve(limit.enter("get", scope)).then(() => {
      entered = true;
    });
    await new Promise((next) => setImmediate(next));
    expect(entered).toBe(false);
    scope.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });
});
