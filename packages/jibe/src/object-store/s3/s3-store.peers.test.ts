import { createHash, randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { AppError, systemClock } from "@jibe/base";
import type { ObjectStore } from "@jibe/engine";
import { type TestScope, testScope } from "@jibe/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyObjectStore } from "../verify-object-store.ts";
import { type StoreFault, verifyUnderFaults } from "../verify-under-faults.ts";
import { s3SettingsFrom } from "./s3-settings.ts";
import { openS3Store } from "./s3-store.ts";
import { type Fault, times } from "./test/faulty-proxy.ts";
import { type S3Site, startS3Site } from "./test/s3-site.ts";

const full = process.env["JIBE_FULL"] === "1";
const mebibyte = 1024 * 1024;

let scope: TestScope;
let site: S3Site;

beforeAll(async () => {
  scope = testScope();
  site = await startS3Site(scope);
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  scope[Symbol.dispose]();
});

const open = (url: string, config: Record<string, string> = {}, idleTimeoutMs = 1_000) =>
  openS3Store({
    bucket: site.server.bucket,
    prefix: randomBytes(6).toString("hex"),
    settings: s3SettingsFrom({
      region: site.server.region,
      s3Url: url,
      s3ForcePathStyle: "true",
      profile: "backup",
      credentialsFile: site.credentialsFile,
      ...config,
    }),
    clock: systemClock,
    limits: { idleTimeoutMs },
  });

verifyObjectStore("S3 on a real server", () => open(site.server.url, {}, 60_000), {
  timeoutMs: full ? 1_800_000 : 120_000,
  ...(full ? { manyKeys: 100_000, streamBytes: 1024 * mebibyte } : {}),
});
verifyObjectStore("S3 without checksums", () => open(site.server.url, { checksumAlgorithm: "" }, 60_000), {
  timeoutMs: 120_000,
  manyKeys: 1,
});
verifyObjectStore(
  "S3 behind a proxy that spoils a request in three",
  async () => {
    const faults = ["reset", "error", "lost"] as const;
    let count = 0;
    site.proxy.spoil(() => (++count % 3 === 0 ? faults[(count / 3) % 3] : undefined));
    return open(site.proxy.url);
  },
  { manyKeys: 60, streamBytes: 24 * mebibyte },
);

const spoilt = (fault: Fault): StoreFault => ({
  // Every other request, so that requests of all kinds meet it.
  begin: () => {
    let seen = 0;
    site.proxy.spoil(times(2, fault, () => seen++ % 2 === 0));
  },
  put: "done",
  get: "done",
});

verifyUnderFaults("S3 behind a bad line", {
  open: () => open(site.proxy.url),
  end: () => site.proxy.spoil(() => undefined),
  met: () => site.proxy.spoilt,
  faults: {
    "two resets": spoilt("reset"),
    "two answers 500": spoilt("error"),
    "two slow answers": spoilt("slow"),
    "two partial transfers": spoilt("partial"),
    "two answers that never come": spoilt("silent"),
    "two answers that stop in the middle": spoilt("stalled"),
    "two answers that are lost": spoilt("lost"),
    "a server that is broken for good": {
      begin: () => site.proxy.spoil(() => "error"),
      put: "Unavailable",
      get: "Unavailable",
    },
  },
  objectBytes: 10 * mebibyte,
});

describe("an S3 store with one thing going wrong", { timeout: 60_000 }, () => {
  const content = randomBytes(20 * mebibyte);
  const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
  const body = async function* () {
    for (let at = 0; at < content.length; at += mebibyte) yield content.subarray(at, at + mebibyte);
  };
  const read = async (store: ObjectStore, key: string) => Buffer.concat(await Array.fromAsync(store.get(key, scope)));

  test("takes an upload for done whose last answer was lost", async () => {
    await using store = await open(site.proxy.url);
    site.proxy.spoil(times(1, "lost", ({ method, url }) => method === "POST" && !!url?.includes("uploadId=")));
    await store.put("object", body, scope);
    expect(hash(await read(store, "object"))).toBe(hash(content));
  });
  test("fails with Unavailable when it never gets better, and leaves neither object nor parts", async () => {
    await using store = await open(site.proxy.url);
    const before = await uploads();
    site.proxy.spoil(times(1_000, "error", ({ method, url }) => method === "PUT" && !!url?.includes("partNumber=2")));
    await expect(store.put("object", body, scope)).rejects.toMatchObject({ code: "Unavailable" });
    site.proxy.spoil(() => undefined);
    expect(await store.exists("object", scope)).toBe(false);
    expect(await uploads()).toEqual(before);
  });
  test("stops at once while the server is silent, with the signal's reason", async () => {
    await using store = await open(site.proxy.url, {}, 60_000);
    const controller = new AbortController();
    const reason = new Error("enough");
    site.proxy.spoil(() => {
      queueMicrotask(() => controller.abort(reason));
      return "silent";
    });
    await expect(store.put("object", body, { ...scope, signal: controller.signal })).rejects.toBe(reason);
    site.proxy.spoil(() => undefined);
    expect(await store.exists("object", scope)).toBe(false);
  });
  test("a body that fails in the middle of a long upload leaves no parts", async () => {
    await using store = await open(site.server.url);
    const before = await uploads();
    const failure = new AppError("DataLoss", "the source broke");
    const broken = async function* () {
      yield* body();
      throw failure;
    };
    await expect(store.put("object", broken, scope)).rejects.toBe(failure);
    expect(await store.exists("object", scope)).toBe(false);
    expect(await uploads()).toEqual(before);
  });

  // Where the answer to its beginning was lost, an upload stays: nobody knows its name.
  async function uploads(): Promise<string[]> {
    const entries = await readdir(site.server.bucketDir, { recursive: true });
    return entries.filter((name) => /multipart\/[^/]+\//.test(name));
  }
});

test("a wrong key and a missing bucket are told apart", async () => {
  await using wrong = await open(site.server.url, { profile: "default" });
  await expect(Array.fromAsync(wrong.list("", scope))).rejects.toMatchObject({ code: "PermissionDenied" });
  const settings = s3SettingsFrom({
    s3Url: site.server.url,
    s3ForcePathStyle: "true",
    profile: "backup",
    credentialsFile: site.credentialsFile,
  });
  await using missing = await openS3Store({ bucket: "missing", prefix: "", settings, clock: systemClock });
  await expect(Array.fromAsync(missing.list("", scope))).rejects.toMatchObject({
    code: "NotFound",
    message: 'cannot list bucket "missing": the server answered 404 NoSuchBucket',
  });
});

test("tags are kept, and signed URLs point to the public address", async () => {
  await using store = await open(site.server.url, { tagging: "team=storage&env=test", publicUrl: site.proxy.url });
  await store.put("tagged", async function* () {}, scope);
  expect(await store.exists("tagged", scope)).toBe(true);
  expect(await store.signedUrl("tagged", 60_000, scope)).toContain(site.proxy.url);
});
