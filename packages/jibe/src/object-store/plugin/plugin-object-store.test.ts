import { AppError } from "@jibe/base";
import type { ObjectStore as ObjectStoreContract } from "@jibe/plugin-sdk/contracts";
import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { memoryStore } from "../memory/memory-store.ts";
import { verifyObjectStore } from "../verify-object-store.ts";
import { pluginObjectStore } from "./plugin-object-store.ts";

const full = process.env["JIBE_FULL"] === "1";

/** A plugin in this process, which answers in its own order and, as Go plugins do, says "not found" in words alone. */
function contractInMemory(): ObjectStoreContract {
  const objects = new Map<string, Uint8Array>();
  const store = memoryStore(objects);
  const at = (bucket: string, key: string) => `${bucket}/${key}`;
  return {
    init: async () => {},
    putObject: (bucket, key, body, scope) => store.put(at(bucket, key), () => body, scope),
    objectExists: (bucket, key, scope) => store.exists(at(bucket, key), scope),
    async *getObject(bucket, key, scope) {
      if (!objects.has(at(bucket, key)))
        throw new AppError("Internal", "rpc error: code = Unknown desc = NoSuchKey: gone");
      yield* store.get(at(bucket, key), scope);
    },
    listCommonPrefixes: async (bucket, _delimiter, prefix, scope) =>
      (await Array.fromAsync(store.listPrefixes(at(bucket, prefix), scope)))
        .map((key) => key.slice(bucket.length + 1))
        .reverse(),
    listObjects: async (bucket, prefix, scope) =>
      (await Array.fromAsync(store.list(at(bucket, prefix), scope)))
        .map((key) => key.slice(bucket.length + 1))
        .reverse(),
    deleteObject: async (bucket, key, scope) => {
      if (!objects.has(at(bucket, key))) throw new AppError("Internal", "the object does not exist");
      await store.delete(at(bucket, key), scope);
    },
    createSignedUrl: async (bucket, key, ttlMs) => `https://plugin.example/${bucket}/${key}?ttl=${ttlMs}`,
  };
}

verifyObjectStore(
  "a plugin's store",
  async () => pluginObjectStore(contractInMemory(), { bucket: "bucket", prefix: "/pre/fix/" }),
  { signedUrls: false, ...(full ? { manyKeys: 100_000 } : {}) },
);

test("keys on the plugin's side carry the prefix, and a signed URL is the plugin's own", async () => {
  using scope = testScope();
  const contract = contractInMemory();
  const store = pluginObjectStore(contract, { bucket: "bucket", prefix: "pre" });
  await store.put("backups/x", async function* () {}, scope);
  expect(await contract.listObjects("bucket", "", scope)).toEqual(["pre/backups/x"]);
  expect(await store.signedUrl("a", 5000, scope)).toBe("https://plugin.example/bucket/pre/a?ttl=5000");
});

test("an error that is not about a missing object passes unchanged", async () => {
  using scope = testScope();
  const dead = new AppError("Unavailable", "plugin process not found");
  const contract = { ...contractInMemory(), deleteObject: () => Promise.reject(dead) };
  const store = pluginObjectStore(contract, { bucket: "bucket", prefix: "" });
  await expect(store.delete("x", scope)).rejects.toBe(dead);
});
