import { AppError, type Scope } from "@jibe/base";
import type { ObjectStore } from "../src/ports/object-store.ts";

export interface MemoryStore extends ObjectStore {
  readonly objects: Map<string, Uint8Array>;
  /** Keys in the order in which their puts were acknowledged and their deletes done (`-key`). */
  readonly history: string[];
}

/** An object store in memory. `fault` is asked before each call and may throw. */
export function memoryStore({ fault = () => {} }: { fault?: (call: string, key: string) => void } = {}): MemoryStore {
  const objects = new Map<string, Uint8Array>();
  const history: string[] = [];
  const enter = (call: string, key: string, scope: Scope) => {
    scope.signal.throwIfAborted();
    fault(call, key);
  };
  const keys = (prefix: string) => [...objects.keys()].filter((key) => key.startsWith(prefix)).sort();
  return {
    objects,
    history,
    async *get(key, scope) {
      enter("get", key, scope);
      const bytes = objects.get(key);
      if (!bytes) throw new AppError("NotFound", `object ${JSON.stringify(key)} not found`);
      for (let at = 0; at < bytes.length; at += 65536) yield bytes.subarray(at, at + 65536);
    },
    async put(key, body, scope) {
      enter("put", key, scope);
      const chunks: Uint8Array[] = [];
      for await (const chunk of body()) chunks.push(chunk);
      scope.signal.throwIfAborted();
      objects.set(key, Buffer.concat(chunks));
      history.push(key);
    },
    async exists(key, scope) {
      enter("exists", key, scope);
      return objects.has(key);
    },
    async delete(key, scope) {
      enter("delete", key, scope);
      if (objects.delete(key)) history.push(`-${key}`);
    },
    async *list(prefix, scope) {
      enter("list", prefix, scope);
      yield* keys(prefix);
    },
    async *listPrefixes(prefix, scope) {
      enter("listPrefixes", prefix, scope);
      const names = keys(prefix).map((key) => key.slice(prefix.length));
      const folders = names.filter((name) => name.includes("/")).map((name) => name.slice(0, name.indexOf("/") + 1));
      for (const folder of new Set(folders)) yield prefix + folder;
    },
    async signedUrl(key, ttlMs, scope) {
      enter("signedUrl", key, scope);
      return `memory://${key}?ttl=${ttlMs}`;
    },
  };
}
