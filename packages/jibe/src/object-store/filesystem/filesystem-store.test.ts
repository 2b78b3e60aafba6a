import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Secret, systemClock } from "@jibe/base";
import { tempDir, testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { markAsText, ownProcessMark } from "../../scratch/process-mark.ts";
import { type OpenedStore, verifyObjectStore } from "../verify-object-store.ts";
import { openFilesystemStore } from "./filesystem-store.ts";
import { partFromName, pathFromKey } from "./object-path.ts";
import { serveObjects } from "./serve-objects.ts";
import { createUrlSigner } from "./url-signer.ts";

const full = process.env["JIBE_FULL"] === "1";

/** A store in a folder of its own, with a server for its signed URLs. */
async function openWithServer(): Promise<OpenedStore> {
  const stack = new AsyncDisposableStack();
  const scope = stack.use(testScope());
  const directory = stack.use(await tempDir("store"));
  let handle: ReturnType<typeof serveObjects> | undefined;
  const server = createServer((request, response) => void handle?.(request, response, scope));
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  stack.defer(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const signer = createUrlSigner({ secret: new Secret("s3cret"), baseUrl, clock: systemClock });
  const options = { root: directory.path, bucket: "bucket", prefix: "/some/prefix/", location: "default", signer };
  const store = await openFilesystemStore(options);
  handle = serveObjects({ signer, openLocation: async () => store });
  return { ...store, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

verifyObjectStore(
  "the file system store",
  openWithServer,
  full ? { manyKeys: 100_000, streamBytes: 1024 ** 3, timeoutMs: 1_800_000 } : {},
);

const keys: Record<string, { key: string; path: string[] }> = {
  "keeps plain keys readable": {
    key: "backups/daily/velero-backup.json",
    path: ["backups", "daily", "velero-backup.json"],
  },
  "cannot leave its folder": { key: "../../etc/passwd", path: ["%2E.", "%2E.", "etc", "passwd"] },
  "keeps empty parts": { key: "/a//b/", path: ["%", "a", "%", "b", "%"] },
  "escapes what file systems refuse": { key: "a\u0000b\\c:%41", path: ["a%00b%5Cc%3A%2541"] },
  "cuts names that are too long": {
    key: `${"x".repeat(253)}.tar.gz`,
    path: [`${"x".repeat(200)}%+`, `${"x".repeat(53)}.tar.gz`],
  },
};
for (const [name, { key, path }] of Object.entries(keys)) {
  test(`a path ${name}`, () => {
    expect(pathFromKey(key)).toEqual(path);
    const text = path.map((part) => partFromName(part)).map(({ part, continues }) => (continues ? part : `${part}/`));
    expect(text.join("").slice(0, -1)).toBe(key);
  });
}

test("names longer than a file name can be are stored and listed in order", async () => {
  using scope = testScope();
  await using directory = await tempDir("store");
  const store = await openFilesystemStore({ root: directory.path, bucket: "b", prefix: "", location: "default" });
  const long = "n".repeat(200);
  const stored = [
    `${long}-a`,
    `${long}/b`,
    `${long}0c`,
    `${"n".repeat(199)}${"ü".repeat(200)}/x`,
    "/lead",
    "a//b",
    "dir/",
  ];
  for (const key of stored) await store.put(key, () => one("x"), scope);
  const sorted = [...stored].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect(await Array.fromAsync(store.list("", scope))).toEqual(sorted);
  expect(await Array.fromAsync(store.listPrefixes("", scope))).toEqual([
    ...new Set(sorted.filter((key) => key.includes("/")).map((key) => key.slice(0, key.indexOf("/") + 1))),
  ]);
  expect(await Array.fromAsync(store.list("a//", scope))).toEqual(["a//b"]);
});

test("an object and a folder of one name are refused plainly", async () => {
  using scope = testScope();
  await using directory = await tempDir("store");
  const store = await openFilesystemStore({ root: directory.path, bucket: "b", prefix: "", location: "default" });
  await store.put("a", () => one("x"), scope);
  await expect(store.put("a/b", () => one("x"), scope)).rejects.toMatchObject({ code: "InvalidArgument" });
  await store.put("c/d", () => one("x"), scope);
  await expect(store.put("c", () => one("x"), scope)).rejects.toMatchObject({ code: "InvalidArgument" });
});

test("drafts of killed processes and empty folders are never seen, and drafts go when the store is opened", async () => {
  using scope = testScope();
  await using directory = await tempDir("store");
  const drafts = join(directory.path, "b", ".jibe-drafts");
  await mkdir(drafts, { recursive: true });
  await mkdir(join(directory.path, "b", "backups", "half"), { recursive: true });
  const own = await ownProcessMark();
  const dead = `${markAsText({ ...own, pid: 2 ** 22 + 5 })}-0123456789ab`;
  const alive = `${markAsText(own)}-0123456789ab`;
  for (const name of [dead, alive]) await writeFile(join(drafts, name), "half");
  const store = await openFilesystemStore({ root: directory.path, bucket: "b", prefix: "", location: "default" });
  expect(await readdir(drafts)).toEqual([alive]);
  expect(await Array.fromAsync(store.list("", scope))).toEqual([]);
  expect(await Array.fromAsync(store.listPrefixes("backups/", scope))).toEqual([]);
});

test("without a signer a URL is refused, and a relative root too", async () => {
  using scope = testScope();
  await using directory = await tempDir("store");
  const store = await openFilesystemStore({ root: directory.path, bucket: "b", prefix: "", location: "default" });
  await expect(store.signedUrl("x", 1000, scope)).rejects.toMatchObject({ code: "Unsupported" });
  const relative = openFilesystemStore({ root: "here", bucket: "b", prefix: "", location: "default" });
  await expect(relative).rejects.toMatchObject({ code: "InvalidArgument" });
});

async function* one(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
