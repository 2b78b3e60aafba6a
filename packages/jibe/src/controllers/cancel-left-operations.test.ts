import { fakeClock, testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { undoUnlessCanceled } from "./cancel-left-operations.ts";
import { hang } from "./test/finalizing-world.ts";

test("a cancel leaves a plugin that hangs 20 s to undo what an earlier attempt had started", async () => {
  using scope = testScope();
  const clock = fakeClock();
  const cancel = new AbortController();
  let isOver = false;
  const undone = undoUnlessCanceled(hang, { canceled: cancel.signal, clock }, scope).then(() => {
    isOver = true;
  });
  await clock.advance(300_000);
  cancel.abort();
  await clock.advance(19_999);
  expect(isOver).toBe(false);
  await clock.advance(1);
  await undone;
  expect(clock.pendingTimers()).toEqual([]);
});

test("a cancel that came before counts from the start", async () => {
  using scope = testScope();
  const clock = fakeClock();
  const undone = undoUnlessCanceled(hang, { canceled: AbortSignal.abort(), clock }, scope);
  await clock.advance(20_000);
  await undone;
});

test("an error of the undoing itself, and the end of the server, are thrown", async () => {
  using scope = testScope();
  const [clock, canceled] = [fakeClock(), new AbortController().signal];
  const failing = () => Promise.reject(new Error("the store is away"));
  await expect(undoUnlessCanceled(failing, { canceled, clock }, scope)).rejects.toThrow("the store is away");
  const server = new AbortController();
  const undone = undoUnlessCanceled(hang, { canceled, clock }, { ...scope, signal: server.signal });
  server.abort(new Error("the server is stopping"));
  await expect(undone).rejects.toThrow("the server is stopping");
});
