import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { AppError, type Scope, silentLogger } from "@jibe/base";
import type { ObjectStore } from "@jibe/engine";
import { describe, expect, test } from "vitest";

export interface OpenedStore extends ObjectStore, Partial<AsyncDisposable> {
  /** Other processes that do the store's work: their memory has to stay flat too. */
  pids?(): readonly number[];
}

export interface VerifyOptions {
  /** How many keys the paging test stores; more than one page of the store. */
  readonly manyKeys?: number;
  /** The size of the streamed object. */
  readonly streamBytes?: number;
  /** How much the process may grow while the object is streamed, on top of what it had. */
  readonly memoryBytes?: number;
  readonly signedUrls?: boolean;
  readonly timeoutMs?: number;
}

const scope: Scope = { signal: new AbortController().signal, log: silentLogger };
const mebibyte = 1024 * 1024;

const oddKeys = [
  "odd/with space and  two",
  "odd/plus+and%25percent%",
  "odd/question?hash#amp&equals=",
  "odd/umlaut-äöü-中文-🚢",
  "odd/quote'\"<>*:|",
  "odd/.hidden/..dots",
  "odd/a",
  "odd/a-b",
  "odd/a.b/c",
  "odd/a0",
];

/** The contract of the engine's ObjectStore port. Every implementation runs it; `open` gives an empty store each time. */
export function verifyObjectStore(name: string, open: () => Promise<OpenedStore>, options: VerifyOptions = {}): void {
  const { timeoutMs = 60_000 } = options;
  describe(`${name} keeps the object store contract`, { timeout: timeoutMs }, () => {
    verifyObjects(open);
    verifyFailures(open);
    verifyBrokenBodies(open);
    verifyStopping(open);
    verifyListings(open, options);
    verifyStreams(open, options);
  });
}

function verifyObjects(open: () => Promise<OpenedStore>): void {
  test("what was put is read back", async () => {
    await using store = await opened(open);
    const content = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 251));
    await store.put("backups/daily/content", chunks(content.subarray(0, 5), content.subarray(5)), scope);
    expect(await contentOf(store, "backups/daily/content")).toEqual(content);
    expect(await store.exists("backups/daily/content", scope)).toBe(true);
  });
  test("an empty object is an object", async () => {
    await using store = await opened(open);
    await store.put("empty", chunks(), scope);
    expect(await contentOf(store, "empty")).toEqual(Buffer.alloc(0));
    expect(await store.exists("empty", scope)).toBe(true);
    expect(await all(store.list("", scope))).toEqual(["empty"]);
  });
  test("putting again replaces the whole object", async () => {
    await using store = await opened(open);
    await store.put("key", chunks(Buffer.alloc(5000, 1)), scope);
    await store.put("key", chunks(Buffer.from("short")), scope);
    expect((await contentOf(store, "key")).toString()).toBe("short");
  });
  test("of two puts at once one is kept whole", async () => {
    await using store = await opened(open);
    const contents = [Buffer.alloc(200_000, "a"), Buffer.alloc(300_000, "b")];
    await Promise.all(contents.map((content) => store.put("raced", chunks(content), scope)));
    const kept = await contentOf(store, "raced");
    expect(contents.some((content) => content.equals(kept))).toBe(true);
  });
  test("what was deleted is gone, and deleting it again is no error", async () => {
    await using store = await opened(open);
    await store.put("a/b", chunks(Buffer.from("x")), scope);
    await store.delete("a/b", scope);
    await store.delete("a/b", scope);
    await store.delete("never/was", scope);
    expect(await store.exists("a/b", scope)).toBe(false);
    expect(await all(store.list("", scope))).toEqual([]);
    expect(await all(store.listPrefixes("", scope))).toEqual([]);
  });
  test("keys with odd characters are kept as they are", async () => {
    await using store = await opened(open);
    for (const key of oddKeys) await store.put(key, chunks(Buffer.from(key)), scope);
    for (const key of oddKeys) expect((await contentOf(store, key)).toString()).toBe(key);
    expect(await all(store.list("odd/", scope))).toEqual(inByteOrder(oddKeys));
    for (const key of oddKeys) await store.delete(key, scope);
    expect(await all(store.list("", scope))).toEqual([]);
  });
}

function verifyFailures(open: () => Promise<OpenedStore>): void {
  test("reading what is not there fails with NotFound", async () => {
    await using store = await opened(open);
    await expect(contentOf(store, "absent")).rejects.toMatchObject({ code: "NotFound" });
    expect(await store.exists("absent", scope)).toBe(false);
  });
  test("a folder is not an object", async () => {
    await using store = await opened(open);
    await store.put("folder/object", chunks(Buffer.from("x")), scope);
    expect(await store.exists("folder", scope)).toBe(false);
    await expect(contentOf(store, "folder")).rejects.toMatchObject({ code: "NotFound" });
    await store.delete("folder", scope);
    expect(await store.exists("folder/object", scope)).toBe(true);
  });
}

function verifyBrokenBodies(open: () => Promise<OpenedStore>): void {
  test("a put whose body fails leaves nothing visible and gives the body's own error", async () => {
    await using store = await opened(open);
    const failure = new AppError("DataLoss", "the disk below broke");
    await expect(store.put("new/object", failing(failure, 6 * mebibyte), scope)).rejects.toMatchObject({
      code: "DataLoss",
    });
    expect(await store.exists("new/object", scope)).toBe(false);
    expect(await all(store.list("", scope))).toEqual([]);
    expect(await all(store.listPrefixes("", scope))).toEqual([]);
  });
  test("a put whose body fails leaves the earlier object untouched", async () => {
    await using store = await opened(open);
    await store.put("kept", chunks(Buffer.from("earlier")), scope);
    await expect(store.put("kept", failing(new AppError("DataLoss", "broke"), 100), scope)).rejects.toThrow();
    expect((await contentOf(store, "kept")).toString()).toBe("earlier");
  });
  test("a put that is stopped ends with the signal's reason and leaves nothing visible", async () => {
    await using store = await opened(open);
    const controller = new AbortController();
    const reason = new Error("the server is stopping");
    const body = async function* () {
      yield Buffer.alloc(mebibyte);
      controller.abort(reason);
      yield Buffer.alloc(mebibyte);
    };
    await expect(store.put("stopped", body, { ...scope, signal: controller.signal })).rejects.toBe(reason);
    expect(await store.exists("stopped", scope)).toBe(false);
  });
}

function verifyStopping(open: () => Promise<OpenedStore>): void {
  test("a stopped scope stops every call with its reason", async () => {
    await using store = await opened(open);
    const reason = new Error("stopped before");
    const stopped = { ...scope, signal: AbortSignal.abort(reason) };
    await expect(contentOf(store, "x", stopped)).rejects.toBe(reason);
    await expect(store.put("x", chunks(Buffer.from("x")), stopped)).rejects.toBe(reason);
    await expect(store.exists("x", stopped)).rejects.toBe(reason);
    await expect(store.delete("x", stopped)).rejects.toBe(reason);
    await expect(all(store.list("", stopped))).rejects.toBe(reason);
    await expect(all(store.listPrefixes("", stopped))).rejects.toBe(reason);
  });
}

function verifyListings(open: () => Promise<OpenedStore>, { manyKeys = 1200 }: VerifyOptions): void {
  test("keys and prefixes are listed complete, sorted, and by the beginning of a name", async () => {
    await using store = await opened(open);
    const keys = ["backups/daily-1/velero-backup.json", "backups/daily-1/x", "backups/weekly/x", "restores/r/y", "top"];
    for (const key of [...keys].reverse()) await store.put(key, chunks(Buffer.from("x")), scope);
    expect(await all(store.list("", scope))).toEqual(keys);
    expect(await all(store.list("backups/", scope))).toEqual(keys.slice(0, 3));
    expect(await all(store.list("backups/da", scope))).toEqual(keys.slice(0, 2));
    expect(await all(store.list("nothing/", scope))).toEqual([]);
    expect(await all(store.listPrefixes("", scope))).toEqual(["backups/", "restores/"]);
    expect(await all(store.listPrefixes("backups/", scope))).toEqual(["backups/daily-1/", "backups/weekly/"]);
    expect(await all(store.listPrefixes("backups/we", scope))).toEqual(["backups/weekly/"]);
    expect(await all(store.listPrefixes("top", scope))).toEqual([]);
  });
  test(`a listing of ${manyKeys} keys is complete`, async () => {
    await using store = await opened(open);
    const keys = Array.from({ length: manyKeys }, (_, index) => `many/${String(index).padStart(6, "0")}/x`);
    for (let start = 0; start < keys.length; start += 50) {
      const batch = keys.slice(start, start + 50);
      await Promise.all(batch.map((key) => store.put(key, chunks(), scope)));
    }
    expect(await all(store.list("many/", scope))).toEqual(keys);
    expect(await all(store.listPrefixes("many/", scope))).toEqual(keys.map((key) => key.slice(0, -1)));
  });
}

function verifyStreams(open: () => Promise<OpenedStore>, options: VerifyOptions): void {
  const { streamBytes = 64 * mebibyte, memoryBytes = 256 * mebibyte, signedUrls = true } = options;
  test(`${streamBytes / mebibyte} MiB flow through in flat memory`, async ({ annotate }) => {
    await using store = await opened(open);
    const before = process.memoryUsage().rss;
    const cpuBefore = process.cpuUsage();
    let peak = before;
    let put = createHash("sha256");
    const body = async function* () {
      put = createHash("sha256");
      for (let index = 0; index < streamBytes / mebibyte; index++) {
        const chunk = Buffer.alloc(mebibyte, index);
        put.update(chunk);
        peak = Math.max(peak, process.memoryUsage().rss);
        yield chunk;
      }
    };
    await store.put("big", body, scope);
    const got = createHash("sha256");
    for await (const chunk of store.get("big", scope)) {
      got.update(chunk);
      peak = Math.max(peak, process.memoryUsage().rss);
    }
    expect(got.digest("hex")).toBe(put.digest("hex"));
    const { user, system } = process.cpuUsage(cpuBefore);
    const grown = `${Math.round((peak - before) / mebibyte)} MiB on top of ${Math.round(before / mebibyte)} MiB`;
    await annotate(`${((user + system) / 1e6).toFixed(1)} s of CPU, ${grown} of memory, in this process`);
    expect(peak - before).toBeLessThan(memoryBytes);
    for (const pid of store.pids()) {
      const used = await peakMemory(pid);
      await annotate(`${Math.round(used / mebibyte)} MiB of memory at most in the store's own process`);
      expect(used).toBeLessThan(memoryBytes);
    }
  });
  test("a reader that leaves early does no harm", async () => {
    await using store = await opened(open);
    await store.put("left", chunks(Buffer.alloc(3 * mebibyte)), scope);
    for await (const _ of store.get("left", scope)) break;
    expect((await contentOf(store, "left")).length).toBe(3 * mebibyte);
  });
  test.runIf(signedUrls)("a signed URL gives the object to anyone who has it", async () => {
    await using store = await opened(open);
    await store.put("signed/öbject +1", chunks(Buffer.from("for you")), scope);
    const response = await fetch(await store.signedUrl("signed/öbject +1", 600_000, scope));
    expect([response.status, await response.text()]).toEqual([200, "for you"]);
    const changed = new URL(await store.signedUrl("signed/öbject +1", 600_000, scope));
    changed.pathname = changed.pathname.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    const refused = await fetch(changed);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    await refused.arrayBuffer();
  });
}

/** The most memory that a process has had so far; 0 where the system does not say. */
async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

async function opened(open: () => Promise<OpenedStore>): Promise<Required<OpenedStore>> {
  const store = await open();
  return {
    get: (key, scope) => store.get(key, scope),
    put: (key, body, scope) => store.put(key, body, scope),
    exists: (key, scope) => store.exists(key, scope),
    delete: (key, scope) => store.delete(key, scope),
    list: (prefix, scope) => store.list(prefix, scope),
    listPrefixes: (prefix, scope) => store.listPrefixes(prefix, scope),
    signedUrl: (key, ttlMs, scope) => store.signedUrl(key, ttlMs, scope),
    pids: () => store.pids?.() ?? [],
    [Symbol.asyncDispose]: async () => store[Symbol.asyncDispose]?.(),
  };
}

function chunks(...parts: readonly Uint8Array[]): () => AsyncIterable<Uint8Array> {
  return async function* () {
    yield* parts;
  };
}

function failing(error: Error, afterBytes: number): () => AsyncIterable<Uint8Array> {
  return async function* () {
    for (let done = 0; done < afterBytes; done += mebibyte) yield Buffer.alloc(Math.min(mebibyte, afterBytes - done));
    throw error;
  };
}

async function contentOf(store: ObjectStore, key: string, within: Scope = scope): Promise<Buffer> {
  return Buffer.concat(await all(store.get(key, within)));
}

async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  return Array.fromAsync(source);
}

function inByteOrder(keys: readonly string[]): string[] {
  return [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
