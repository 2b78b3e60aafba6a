import { retry, withDeadline } from "@jibe/base";
import { describe, expect, test } from "vitest";
import { fakeClock } from "./fake-clock.ts";
import { testScope } from "./test-scope.ts";

describe("the fake clock", () => {
  test("stands still until it is advanced", async () => {
    using scope = testScope();
    const clock = fakeClock({ start: new Date("2026-03-01T12:00:00Z") });
    const seen: string[] = [];
    const waits = [
      clock.sleep(2_000, scope).then(() => seen.push("two")),
      clock.sleep(1_000, scope).then(() => seen.push("one")),
    ];
    expect(clock.pendingSleeps()).toEqual([1_000, 2_000]);
    await clock.advance(999);
    expect(seen).toEqual([]);
    await clock.advance(1_001);
    await Promise.all(waits);
    expect(seen).toEqual(["one", "two"]);
    expect(clock.now().toISOString()).toBe("2026-03-01T12:00:02.000Z");
    expect(clock.monotonicMs()).toBe(2_000);
  });

  test("fires what a woken task asks for on the way, at its own time", async () => {
    using scope = testScope();
    const clock = fakeClock();
    const times: number[] = [];
    const loop = (async () => {
      for (let turn = 0; turn < 3; turn++) {
        await clock.sleep(10, scope);
        times.push(clock.monotonicMs());
      }
    })();
    await clock.advance(100);
    await loop;
    expect(times).toEqual([10, 20, 30]);
    expect(clock.monotonicMs()).toBe(100);
  });

  test("a stopped sleep rejects with the reason and is forgotten", async () => {
    using scope = testScope();
    const clock = fakeClock();
    const wait = clock.sleep(1_000, scope);
    scope.abort(new Error("enough"));
    await expect(wait).rejects.toThrow("enough");
    expect(clock.pendingSleeps()).toEqual([]);
    await expect(clock.sleep(1, scope)).rejects.toThrow("enough");
  });

  test("a disposed timer never fires", async () => {
    const clock = fakeClock();
    let fired = 0;
    clock.after(10, () => fired++);
    clock.after(20, () => fired++)[Symbol.dispose]();
    expect(clock.pendingTimers()).toEqual([10]);
    await clock.advance(50);
    expect(fired).toBe(1);
  });

  test("drives deadlines", async () => {
    using scope = testScope();
    const clock = fakeClock();
    const work = withDeadline({ ms: 5_000, clock, what: "reading" }, scope, () => new Promise(() => {}));
    const failed = expect(work).rejects.toMatchObject({ code: "DeadlineExceeded" });
    await clock.advance(5_000);
    await failed;
  });

  test("moves on by itself when asked to", async () => {
    using scope = testScope();
    const clock = fakeClock({ autoAdvance: true });
    const policy = { attempts: 5, firstDelayMs: 60_000, maxDelayMs: 600_000, clock, random: () => 1, when: () => true };
    const attempts = await retry(
      async (attempt) => (attempt < 4 ? Promise.reject(new Error("no")) : attempt),
      policy,
      scope,
    );
    expect(attempts).toBe(4);
    expect(clock.monotonicMs()).toBe(900_000);
  });

  test("tells when a task has gone to sleep", async () => {
    using scope = testScope();
    const clock = fakeClock();
    const asleep = clock.untilSleeping(2);
    const waits = [clock.sleep(5, scope), clock.sleep(5, scope)];
    await asleep;
    await clock.untilSleeping();
    await clock.advance(5);
    await Promise.all(waits);
  });
});
