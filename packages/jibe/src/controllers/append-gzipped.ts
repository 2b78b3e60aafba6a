import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { hasCode, type Scope } from "@jibe/base";
import type { ObjectStore } from "@jibe/engine";

const compress = promisify(gzip);

/** Adds text to a gzipped file of a store, as a further member; makes the file when there is none. The old one stays until the new is whole. */
export async function appendGzipped(store: ObjectStore, key: string, text: string, scope: Scope): Promise<void> {
  const member = await compress(text);
  await store.put(key, () => extended(store, key, member, scope), scope);
}

async function* extended(
  store: ObjectStore,
  key: string,
  member: Uint8Array,
  scope: Scope,
): AsyncGenerator<Uint8Array> {
  try {
    yield* store.get(key, scope);
  } catch (error) {
    if (!hasCode(error, "NotFound")) throw error;
  }
  yield member;
}
