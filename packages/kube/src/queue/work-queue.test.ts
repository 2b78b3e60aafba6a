import { fakeClock, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { processQueue } from "./process-queue.ts";
import { WorkQueue } from "./work-queue.ts";

describe("a work queue", () => {
  test("hands a key out once, however often it was added", async () => {
    using scope = testScope();
    const queue = new WorkQueue({ clock: fakeClock() });
    for (const key of ["a", "b", "a", "a"]) queue.add(key);
    expect([await queue.take(scope), await queue.take(scope), queue.size]).toEqual(["a", "b", 0]);
  });

  test("hands out again what was added while it was worked on, and not before that ended", async () => {
    using scope = testScope();
    const queue = new WorkQueue({ clock: fakeClock() });
    queue.add("a");
    await queue.take(scope);
    queue.add("a");
    expect(queue.size).toBe(0);
    queue.done("a");
    expect(await queue.take(scope)).toBe("a");
  });

  test("adds later, by the earliest of several delays", async () => {
    using scope = testScope();
    const clock = fakeClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter("a", 1000);
    queue.addAfter("a", 100);
    queue.addAfter("a", 5000);
    await clock.advance(99);
    expect(queue.size).toBe(0);
    await clock.advance(1);
    expect(await queue.take(scope)).toBe("a");
    queue.done("a");
    await clock.advance(10_000);
    expect(queue.size).toBe(0);
  });

  test("waits twice as long after each failure, until it is told to forget", async () => {
    const clock = fakeClock();
    const queue = new WorkQueue({ clock, firstDelayMs: 10, maxDelayMs: 35 });
    const delays: number[] = [];
    const fail = () => {
      queue.addRateLimited("a");
      delays.push(...clock.pendingTimers());
    };
    for (let round = 0; round < 4; round++) {
      fail();
      await clock.advance(100);
      using scope = testScope();
      await queue.take(scope);
      queue.done("a");
    }
    queue.forget("a");
    fail();
    expect(delays).toEqual([10, 20, 35, 35, 10]);
  });

  test("drops what was delayed for a key that is forgotten, and keeps what was delayed for others", () => {
    const clock = fakeClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter("a", 10);
    queue.addAfter("b", 20);
    queue.forget("a");
    expect(clock.pendingTimers()).toEqual([20]);
  });

  test("ends those who wait when it is shut down, and drops what was delayed", async () => {
    using scope = testScope();
    const clock = fakeClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter("a", 10);
    const waiting = queue.take(scope);
    queue.shutDown();
    expect(await waiting).toBeUndefined();
    expect(clock.pendingTimers()).toEqual([]);
    queue.add("b");
    expect(await queue.take(scope)).toBeUndefined();
  });

  test("lets a waiting taker be stopped, without losing the next key", async () => {
    using scope = testScope();
    using other = testScope();
    const queue = new WorkQueue({ clock: fakeClock() });
    const stopped = queue.take(other);
    const waiting = queue.take(scope);
    other.abort(new Error("enough"));
    await expect(stopped).rejects.toThrow("enough");
    queue.add("a");
    expect(await waiting).toBe("a");
  });
});

describe("processQueue", () => {
  test("tries again what failed, and repeats what asks for it", async () => {
    using scope = testScope();
    const clock = fakeClock();
    const queue = new WorkQueue({ clock, firstDelayMs: 10 });
    const seen: string[] = [];
    const handle = async (key: string) => {
      seen.push(key);
      if (seen.length === 1) throw new Error("not yet");
      return seen.length === 2 ? { requeueAfterMs: 500 } : undefined;
    };
    queue.add("a");
    const running = processQueue(queue, { workers: 2, handle }, scope);
    await clock.advance(10);
    expect(seen).toEqual(["a", "a"]);
    await clock.advance(500);
    expect(seen).toEqual(["a", "a", "a"]);
    queue.shutDown();
    await running;
    expect(scope.messages("warn")).toEqual(["work on a key failed"]);
  });

  test("lets what the latest work asked for count, not what earlier work did", async () => {
    using scope = testScope();
    const clock = fakeClock();
    const queue = new WorkQueue({ clock });
    const asked = [{ requeueAfterMs: 1000 }, { requeueAfterMs: 5000 }, undefined];
    queue.add("a");
    const running = processQueue(queue, { workers: 1, handle: async () => asked.shift() }, scope);
    const timers: Array<readonly number[]> = [];
    for (let round = 0; round < 3; round++) {
      await clock.advance(0);
      timers.push(clock.pendingTimers());
      queue.add("a");
    }
    expect(timers).toEqual([[1000], [5000], []]);
    queue.shutDown();
    await running;
  });

  test("ends when its scope is stopped, after the work under way", async () => {
    using scope = testScope();
    const queue = new WorkQueue({ clock: fakeClock() });
    const { promise, resolve } = Promise.withResolvers<void>();
    let ended = false;
    queue.add("a");
    const running = processQueue(queue, { workers: 3, handle: () => promise.then(() => undefined) }, scope).then(() => {
      ended = true;
    });
    scope.abort();
    await new Promise((next) => setImmediate(next));
    expect(ended).toBe(false);
    resolve();
    await running;
  });
});
