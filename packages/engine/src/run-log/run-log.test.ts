import { gunzipSync } from "node:zlib";
import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { manualClock } from "../../test/manual-clock.ts";
import { memoryScratch } from "../../test/memory-scratch.ts";
import type { ScratchFile } from "../ports/scratch.ts";
import { formatLogLine } from "./log-format.ts";
import { createRunLog, type RunLogOptions } from "./run-log.ts";

const time = "2026-01-02T03:04:05Z";

async function contentOf(file: ScratchFile, scope: Parameters<ScratchFile["stream"]>[0]): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.stream(scope)) chunks.push(chunk);
  return gunzipSync(Buffer.concat(chunks)).toString();
}

const lines = {
  "leaves plain values bare and quotes the rest, fields sorted": [
    {
      level: "info",
      message: "Backing up item",
      fields: { resource: "pods", name: "web-0", backup: "velero/b1", n: 3 },
    },
    `time="${time}" level=info msg="Backing up item" backup=velero/b1 n=3 name=web-0 resource=pods`,
  ],
  "writes an error's text with its causes and escapes as Go does": [
    { level: "error", message: "boom", fields: { error: new Error('a "b"\n\u0001ü', { cause: new Error("why") }) } },
    `time="${time}" level=error msg=boom error="a \\"b\\"\\n\\x01ü: why"`,
  ],
  "names the level warning and moves clashing fields": [
    { level: "warn", message: "odd", fields: { msg: "x", empty: "" } },
    `time="${time}" level=warning msg=odd empty= fields.msg=x`,
  ],
} as const;
for (const [name, [line, want]] of Object.entries(lines)) {
  test(`a text line ${name}`, () => expect(formatLogLine(line, time, "text")).toBe(want));
}

test("a JSON line has sorted keys and the error under error.message", () => {
  const line = { level: "warn", message: "odd <", fields: { error: new Error("boom"), backup: "velero/b1" } } as const;
  expect(formatLogLine(line, time, "json")).toBe(
    `{"backup":"velero/b1","error.message":"boom","level":"warning","msg":"odd \\u003c","time":"${time}"}`,
  );
});

async function openLog(options: Partial<RunLogOptions>, scope: Parameters<typeof createRunLog>[1]) {
  return createRunLog(
    { scratch: memoryScratch(), clock: manualClock(), fields: { backup: "velero/b1" }, ...options },
    scope,
  );
}

test("lines are in the file in order, those below the level are not, late ones are dropped", async () => {
  using scope = testScope();
  await using log = await openLog({}, scope);
  for (let n = 0; n < 5000; n++) log.fileOnly.info("line", { n });
  log.logger.debug("hidden");
  const file = await log.finish();
  log.logger.info("late");
  const text = await contentOf(file, scope);
  expect(text.split("\n")).toHaveLength(5001);
  expect(text).toContain("n=0\n");
  expect(text.trimEnd().endsWith("n=4999")).toBe(true);
  expect(text).not.toContain("hidden");
});

test("warnings and errors are counted whatever the level; the tee hears all but the per-item lines", async () => {
  using scope = testScope();
  const counted: string[] = [];
  await using log = await openLog(
    { tee: scope.log, level: "error", count: ({ message }) => counted.push(message) },
    scope,
  );
  log.logger.info("step");
  log.logger.warn("careful");
  log.fileOnly.error("item failed");
  expect(counted).toEqual(["careful", "item failed"]);
  expect(scope.messages()).toEqual(["step", "careful"]);
});

test("a full disk does not disturb the run; finish says so", async () => {
  using scope = testScope();
  const scratch = memoryScratch({ capacity: 10 });
  const log = await openLog({ scratch }, scope);
  for (let n = 0; n < 20_000; n++) log.logger.info(`line ${n} ${"x".repeat(n % 97)}`);
  await expect(log.finish()).rejects.toMatchObject({ code: "Unavailable" });
  await log[Symbol.asyncDispose]();
  expect(scratch.open.size).toBe(0);
});

test("a stopped run still has its log", async () => {
  using scope = testScope();
  await using log = await openLog({}, scope);
  log.logger.info("before");
  scope.abort();
  log.logger.info("after");
  expect(await contentOf(await log.finish(), scope)).toContain("after");
});

test("what was logged so far can be read at any time, and grows", async () => {
  using scope = testScope();
  await using log = await openLog({}, scope);
  const read = async () => gunzipSync(Buffer.concat(await Array.fromAsync(log.soFar(scope)))).toString();
  log.logger.info("first");
  const early = await read();
  expect(early).toMatch(/msg=first .*\n$/);
  for (let n = 0; n < 5000; n++) log.fileOnly.info("line", { n });
  const later = await read();
  expect(later.startsWith(early)).toBe(true);
  expect(later.split("\n")).toHaveLength(5002);
  expect(await contentOf(await log.finish(), scope)).toBe(later);
});
