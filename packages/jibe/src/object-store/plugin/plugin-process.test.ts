import { join } from "node:path";
import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { verifyObjectStore } from "../verify-object-store.ts";
import { openPluginStore } from "./test/open-plugin-store.ts";

const full = process.env["JIBE_FULL"] === "1";
const mebibyte = 1024 * 1024;
/** Processes are started twice, on a machine that may be busy. */
const slow = { timeout: 120_000 };
const plugin = join(import.meta.dirname, "test", "files-plugin.ts");

const openThroughProcess = () =>
  openPluginStore(plugin, { provider: "example.io/files", bucket: "bucket", prefix: "prefix" }, (root) => ({ root }));

verifyObjectStore("a store in a plugin process", openThroughProcess, {
  manyKeys: full ? 100_000 : 300,
  streamBytes: (full ? 1024 : 32) * mebibyte,
  ...(full ? { timeoutMs: 1_800_000 } : {}),
});

test(
  "a plugin process that dies is started and initialised again, and what was stored is still there",
  slow,
  async () => {
    using scope = testScope();
    await using store = await openThroughProcess();
    await store.put("kept", async function* () {}, scope);
    const [pid = 0] = store.pids();
    process.kill(pid, "SIGKILL");
    expect(await store.exists("kept", scope)).toBe(true);
    expect(store.pids()).not.toContain(pid);
  },
);

test("a plugin process that dies while an object is stored costs an attempt, not the object", slow, async () => {
  using scope = testScope();
  await using store = await openThroughProcess();
  await store.put("kept", async function* () {}, scope);
  const [pid = 0] = store.pids();
  let attempts = 0;
  const body = async function* () {
    attempts++;
    yield Buffer.alloc(mebibyte, 1);
    if (attempts === 1) process.kill(pid, "SIGKILL");
    yield Buffer.alloc(mebibyte, 2);
  };
  await store.put("new", body, scope);
  expect(attempts).toBeGreaterThan(1);
  const content = Buffer.concat(await Array.fromAsync(store.get("new", scope)));
  expect(content.equals(Buffer.concat([Buffer.alloc(mebibyte, 1), Buffer.alloc(mebibyte, 2)]))).toBe(true);
  expect(await Array.fromAsync(store.list("", scope))).toEqual(["kept", "new"]);
});

test(
  "a plugin process that dies while an object is read fails the reading, which can be begun again",
  slow,
  async () => {
    using scope = testScope();
    await using store = await openThroughProcess();
    const size = 32 * mebibyte;
    await store.put(
      "big",
      async function* () {
        for (let done = 0; done < size; done += mebibyte) yield Buffer.alloc(mebibyte);
      },
      scope,
    );
    const [pid = 0] = store.pids();
    let chunks = 0;
    const reading = async () => {
      for await (const _ of store.get("big", scope)) if (++chunks === 1) process.kill(pid, "SIGKILL");
    };
    await expect(reading()).rejects.toMatchObject({ code: "Unavailable" });
    let got = 0;
    for await (const chunk of store.get("big", scope)) got += chunk.length;
    expect(got).toBe(size);
  },
);
