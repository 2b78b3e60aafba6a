import { AppError, type Scope } from "@jibe/base";
import type { ObjectStore } from "../ports/object-store.ts";
import { gzippedJson } from "./go-json.ts";

/** Writes one of the `.json.gz` side files. */
export async function putJson(store: ObjectStore, key: string, value: unknown, scope: Scope): Promise<void> {
  const bytes = await gzippedJson(value);
  await put(store, key, () => chunk(bytes), scope);
}

/** Writes an object; a failure names it. */
export async function put(
  store: ObjectStore,
  key: string,
  body: () => AsyncIterable<Uint8Array>,
  scope: Scope,
): Promise<void> {
  try {
    await store.put(key, body, scope);
  } catch (cause) {
    scope.signal.throwIfAborted();
    const code = cause instanceof AppError ? cause.code : "Unavailable";
    throw new AppError(code, `cannot upload ${JSON.stringify(key)}`, { cause });
  }
}

export async function* chunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
