import { AppError, hasCode, type Scope } from "@jibe/base";
import type { ObjectStore } from "../contracts/index.ts";
import { remoteObjectStore } from "../wire/index.ts";
import { answerOrExplain, check, must, type Subject } from "./subject.ts";

const prefix = "verify-plugin/";
const bigBytes = 8 * 1024 * 1024;

/** The contract of an object store. Without a configuration only what needs none is checked. */
export async function checkObjectStore(subject: Subject, scope: Scope): Promise<void> {
  const { plugin, config, checks } = subject;
  const checkIt = (name: string, work: (store: ObjectStore, inner: Scope) => Promise<void>) =>
    check(subject, name, scope, ({ channel }, inner) => work(remoteObjectStore(channel, plugin.name), inner));
  if (!config) {
    await checkIt("takes a configuration, or says what is wrong with it", async (store, inner) => {
      await answerOrExplain(store.init({ bucket: "verify", prefix: "" }, inner));
    });
    checks.skip(`${plugin.kind} ${plugin.name}`, "stores and finds objects", "no configuration was given");
    return;
  }
  const bucket = config["bucket"] ?? "";
  const ready = await checkIt("takes its configuration, twice", async (store, inner) => {
    must(bucket !== "", "the configuration names no bucket");
    await store.init(config, inner);
    await store.init(config, inner);
  });
  if (!ready) return;
  const sizes: Readonly<Record<string, number>> = { "a small object": 11, "an empty object": 0, "8 MiB": bigBytes };
  for (const [name, size] of Object.entries(sizes)) {
    await checkIt(`stores and returns ${name}`, (store, inner) => roundTrip(store, { bucket, size }, inner));
  }
  await check(subject, "survives transfers that are given up", scope, async (process, inner) => {
    await giveUpTransfers(remoteObjectStore(process.channel, plugin.name), bucket, inner);
    await process.checkHealth(inner);
  });
  await checkIt("lists keys and common prefixes", (store, inner) => checkListing(store, bucket, inner));
  await checkIt("tells a missing object from other errors", async (store, inner) => {
    must(!(await store.objectExists(bucket, `${prefix}none`, inner)), "a missing object is said to exist");
    const error = await Array.fromAsync(store.getObject(bucket, `${prefix}none`, inner)).catch((thrown) => thrown);
    if (hasCode(error, "NotFound")) return;
    const text = error instanceof Error ? error.message : "it answered without an error";
    throw new AppError(
      "InvalidArgument",
      `reading a missing object must fail with a text such as "not found": ${text}`,
    );
  });
}

async function roundTrip(store: ObjectStore, { bucket, size }: { bucket: string; size: number }, scope: Scope) {
  const key = `${prefix}size-${size}`;
  const body = new Uint8Array(size).fill(7);
  await store.putObject(bucket, key, one(body), scope);
  must(await store.objectExists(bucket, key, scope), "the object is not there after it was stored");
  let [length, same] = [0, true];
  for await (const chunk of store.getObject(bucket, key, scope)) {
    length += chunk.length;
    same &&= chunk.every((byte) => byte === 7);
  }
  must(length === size && same, `${size} bytes were stored and ${length} came back${same ? "" : ", changed"}`);
  await store.deleteObject(bucket, key, scope);
  must(!(await store.objectExists(bucket, key, scope)), "the object is still there after it was deleted");
}

/** An upload that is canceled half-way, and a download whose reader leaves. What the store keeps of the first is its own matter. */
async function giveUpTransfers(store: ObjectStore, bucket: string, scope: Scope): Promise<void> {
  const [given, read] = [`${prefix}given-up`, `${prefix}left`];
  const stopping = new AbortController();
  const half = async function* () {
    yield new Uint8Array(bigBytes / 2);
    stopping.abort(new Error("canceled by the check"));
    yield new Uint8Array(bigBytes / 2);
  };
  await store.putObject(bucket, given, half(), { ...scope, signal: stopping.signal }).catch(() => {}); // as it was asked to
  await store.putObject(bucket, read, one(new Uint8Array(bigBytes)), scope);
  for await (const _ of store.getObject(bucket, read, scope)) break;
  for (const key of [given, read]) {
    if (await store.objectExists(bucket, key, scope)) await store.deleteObject(bucket, key, scope);
  }
}

async function checkListing(store: ObjectStore, bucket: string, scope: Scope): Promise<void> {
  const keys = [`${prefix}a/1`, `${prefix}a/2`, `${prefix}b/1`];
  for (const key of keys) await store.putObject(bucket, key, one(new Uint8Array([1])), scope);
  const listed = (await store.listObjects(bucket, prefix, scope)).toSorted();
  must(listed.join() === keys.join(), `keys must be whole: ${listed.join(", ")}`);
  const prefixes = (await store.listCommonPrefixes(bucket, "/", prefix, scope)).toSorted();
  must(
    prefixes.join() === `${prefix}a/,${prefix}b/`,
    `prefixes must be whole and end with the delimiter: ${prefixes.join(", ")}`,
  );
  for (const key of keys) await store.deleteObject(bucket, key, scope);
}

async function* one(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}
