import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { AppError, hasCode, parseJson, type Scope } from "@jibe/base";
import type { ObjectStore } from "@jibe/engine";

/** Reads a JSON file from a store, unpacking names that end in `.gz`. Gives nothing when it does not exist. */
export async function readJson<T>(store: ObjectStore, key: string, scope: Scope): Promise<T | undefined> {
  const chunks: Uint8Array[] = [];
  try {
    const content = store.get(key, scope);
    for await (const chunk of key.endsWith(".gz") ? gunzipped(content) : content) chunks.push(chunk);
  } catch (error) {
    if (hasCode(error, "NotFound")) return undefined;
    throw error;
  }
  try {
    return parseJson(Buffer.concat(chunks).toString("utf8")) as T;
  } catch (cause) {
    throw new AppError("DataLoss", `${JSON.stringify(key)} is not valid JSON`, { cause });
  }
}

/** The unpacked content of a gzip stream. */
export async function* gunzipped(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(content, { objectMode: false });
  const unpacked = createGunzip({ chunkSize: 256 * 1024 });
  source.once("error", (error) => unpacked.destroy(error));
  source.pipe(unpacked);
  try {
    for await (const chunk of unpacked) yield chunk as Uint8Array;
  } finally {
    source.destroy();
    unpacked.destroy();
  }
}
