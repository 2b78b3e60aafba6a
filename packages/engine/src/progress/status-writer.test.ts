import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { manualClock } from "../../test/manual-clock.ts";
import { createStatusWriter } from "./status-writer.ts";

function recordingPatch() {
  const written: number[] = [];
  return { written, patch: async (value: number) => void written.push(value) };
}

test("at most one patch a second, always the newest value, none without news", async () => {
  using scope = testScope();
  const clock = manualClock();
  const { written, patch } = recordingPatch();
  const writer = createStatusWriter({ patch, clock }, scope);
  writer.update(1);
  await clock.advance(0);
  for (const n of [2, 3, 4]) writer.update(n);
  await clock.advance(999);
  expect(written).toEqual([1]);
  await clock.advance(1);
  expect(written).toEqual([1, 4]);
  await clock.advance(5000);
  expect(written).toEqual([1, 4]);
  expect(clock.timers).toBe(0);
});

test("finish waits for the patch under way and writes the final value last, exactly", async () => {
  using scope = testScope();
  const clock = manualClock();
  const written: string[] = [];
  const slow = Promise.withResolvers<void>();
  const patch = async (value: string) => {
    if (value === "slow") await slow.promise;
    written.push(value);
  };
  const writer = createStatusWriter({ patch, clock }, scope);
  writer.update("slow");
  await clock.advance(0);
  writer.update("never seen");
  const finished = writer.finish("final", scope);
  slow.resolve();
  await finished;
  writer.update("late");
  await clock.advance(10_000);
  expect(written).toEqual(["slow", "final"]);
});

test("a failed patch is reported and the next one goes out; a failed final one is thrown", async () => {
  using scope = testScope();
  const clock = manualClock();
  const written: number[] = [];
  const errors: unknown[] = [];
  const patch = async (value: number) => {
    if (value % 2) throw new Error(`no ${value}`);
    written.push(value);
  };
  const writer = createStatusWriter({ patch, clock, onError: (error) => errors.push(error) }, scope);
  writer.update(1);
  await clock.advance(0);
  writer.update(2);
  await clock.advance(1000);
  expect(written).toEqual([2]);
  expect(errors).toHaveLength(1);
  await expect(writer.finish(3, scope)).rejects.toThrow("no 3");
});
