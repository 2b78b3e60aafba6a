import { AppError, type Scope } from "@jibe/base";
import type { ObjectStore } from "@jibe/engine";
import { compareKeys } from "../key-order.ts";

/** Keeps objects in memory: for tests, and for trying things out. Nothing survives the process. */
export function memoryStore(objects: Map<string, Uint8Array> = new Map()): ObjectStore {
  const keys = (prefix: string) => [...objects.keys()].filter((key) => key.startsWith(prefix)).sort(compareKeys);
  return {
    async *get(key, { signal }) {
      signal.throwIfAborted();
      const content = objects.get(key);
      if (!content) throw new AppError("NotFound", `object ${JSON.stringify(key)} not found`);
      if (content.length > 0) yield content;
    },
    async put(key, body, scope) {
      objects.set(key, await contentOf(body(), scope));
    },
    async exists(key, { signal }) {
      signal.throwIfAborted();
      return objects.has(key);
    },
    async delete(key, { signal }) {
      signal.throwIfAborted();
      objects.delete(key);
    },
    async *list(prefix, { signal }) {
      signal.throwIfAborted();
      yield* keys(prefix);
    },
    async *listPrefixes(prefix, { signal }) {
      signal.throwIfAborted();
      const folders = keys(prefix).flatMap((key) => {
        const end = key.indexOf("/", prefix.length);
        return end < 0 ? [] : [key.slice(0, end + 1)];
      });
      yield* new Set(folders);
    },
    async signedUrl(key) {
      throw new AppError("Unsupported", `cannot sign a URL of ${JSON.stringify(key)}: the store is in memory`);
    },
  };
}

async function contentOf(body: AsyncIterable<Uint8Array>, { signal }: Scope): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) {
    signal.throwIfAborted();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
