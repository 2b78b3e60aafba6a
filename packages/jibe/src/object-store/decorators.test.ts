import { AppError, type RetryPolicy, systemClock } from "@jibe/base";
import type { ObjectStore } from "@jibe/engine";
import { tempDir, testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { openFilesystemStore } from "./filesystem/filesystem-store.ts";
import { logging } from "./logging/logging.ts";
import { memoryStore } from "./memory/memory-store.ts";
import { readOnly } from "./read-only/read-only.ts";
import { retrying } from "./retrying/retrying.ts";
import { verifyObjectStore } from "./verify-object-store.ts";

const policy: RetryPolicy = { attempts: 3, firstDelayMs: 1, maxDelayMs: 2, clock: systemClock };

/** Fails the first calls of each kind, reading part of the body first. */
function faulty(store: ObjectStore, failures: number, error: Error): ObjectStore {
  const left = new Map<string, number>();
  const fail = (call: string) => {
    const seen = left.get(call) ?? 0;
    left.set(call, seen + 1);
    if (seen < failures) throw error;
  };
  return {
    async *get(key, scope) {
      fail("get");
      yield* store.get(key, scope);
    },
    put: async (key, body, scope) => {
      for await (const _ of body()) break;
      fail("put");
      await store.put(key, body, scope);
    },
    exists: async (key, scope) => {
      fail("exists");
      return store.exists(key, scope);
    },
    delete: async (key, scope) => {
      fail("delete");
      await store.delete(key, scope);
    },
    async *list(prefix, scope) {
      fail("list");
      yield* store.list(prefix, scope);
    },
    async *listPrefixes(prefix, scope) {
      fail("listPrefixes");
      yield* store.listPrefixes(prefix, scope);
    },
    signedUrl: (key, ttlMs, scope) => store.signedUrl(key, ttlMs, scope),
  };
}

const unavailable = new AppError("Unavailable", "connection reset");

verifyObjectStore(
  "a retrying store over a faulty one in memory",
  async () => retrying(faulty(memoryStore(), 2, unavailable), policy),
  { signedUrls: false },
);
verifyObjectStore(
  "a retrying store over a faulty one on the file system",
  async () => {
    const directory = await tempDir("store");
    const store = await openFilesystemStore({
      root: directory.path,
      bucket: "bucket",
      prefix: "",
      location: "default",
    });
    const dispose = { [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
    return { ...retrying(faulty(store, 2, unavailable), policy), ...dispose };
  },
  { signedUrls: false },
);
verifyObjectStore("a logging store", async () => logging(memoryStore(), systemClock), { signedUrls: false });

test("retrying gives up after its attempts, and at once where another attempt cannot help", async () => {
  using scope = testScope();
  const often = retrying(faulty(memoryStore(), 3, unavailable), policy);
  await expect(often.exists("x", scope)).rejects.toBe(unavailable);
  const denied = new AppError("PermissionDenied", "no");
  const never = retrying(faulty(memoryStore(), 1, denied), policy);
  await expect(never.exists("x", scope)).rejects.toBe(denied);
  expect(await never.exists("x", scope)).toBe(false);
});

test("retrying does not begin a reading again that was half handed on", async () => {
  using scope = testScope();
  let begun = 0;
  const half: ObjectStore = {
    ...memoryStore(),
    async *get() {
      begun++;
      yield Buffer.from("half");
      throw unavailable;
    },
  };
  await expect(Array.fromAsync(retrying(half, policy).get("x", scope))).rejects.toBe(unavailable);
  expect(begun).toBe(1);
});

test("a read-only store reads and refuses to change", async () => {
  using scope = testScope();
  const store = readOnly(memoryStore(new Map([["a/b", Buffer.from("x")]])), "archive");
  expect(await Array.fromAsync(store.list("", scope))).toEqual(["a/b"]);
  expect(await store.exists("a/b", scope)).toBe(true);
  const refusal = { code: "PermissionDenied", message: 'cannot delete "a/b": location "archive" is read-only' };
  await expect(store.delete("a/b", scope)).rejects.toMatchObject(refusal);
  await expect(store.put("c", async function* () {}, scope)).rejects.toMatchObject({ code: "PermissionDenied" });
});

test("a logging store says what was called, how it went and how much flowed, but not as an error", async () => {
  using scope = testScope();
  const store = logging(memoryStore(new Map([["a", Buffer.from("12345")]])), systemClock);
  await Array.fromAsync(store.get("a", scope));
  await expect(Array.fromAsync(store.get("b", scope))).rejects.toThrow();
  await expect(store.signedUrl("a", 1, scope)).rejects.toThrow();
  expect(scope.lines.map(({ level, fields }) => [level, fields["operation"], fields["count"]])).toEqual([
    ["debug", "get", 5],
    ["debug", "get", 0],
    ["debug", "signedUrl", undefined],
  ]);
});
