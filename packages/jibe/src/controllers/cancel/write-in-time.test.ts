import { fakeClock, testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { writeInTime } from "./write-in-time.ts";

test("a canceled run ends although its store hangs", async () => {
  const clock = fakeClock();
  using scope = testScope();
  const write = () => new Promise<string>(() => {});
  const status = writeInTime({ otherwise: "without files", write }, { clock }, scope);
  await clock.advance(45_000);
  expect(await status).toBe("without files");
});

test("a canceled run whose files can be written has their status", async () => {
  using scope = testScope();
  const parts = { otherwise: "without files", write: async () => "with files" };
  expect(await writeInTime(parts, { clock: fakeClock() }, scope)).toBe("with files");
});

test("a canceled run whose store fails for a moment has its files all the same", async () => {
  const clock = fakeClock();
  using scope = testScope();
  let tries = 0;
  const write = async () => {
    if (++tries < 3) throw new Error("connection reset");
    return "with files";
  };
  const status = writeInTime({ otherwise: "without files", write }, { clock }, scope);
  await clock.advance(10_000);
  expect({ status: await status, tries }).toEqual({ status: "with files", tries: 3 });
});

test("a server that stops ends the writing, not the run", async () => {
  using scope = testScope();
  const stopped = new Error("the server is stopping");
  const write = async () => {
    scope.abort(stopped);
    throw stopped;
  };
  await expect(writeInTime({ otherwise: "ended", write }, { clock: fakeClock() }, scope)).rejects.toBe(stopped);
});
