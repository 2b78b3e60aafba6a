import { type Clock, type Fields, messageOf, type Scope } from "@jibe/base";
import type { ObjectStore } from "@jibe/engine";

/** Logs each call at debug level with its duration and, for content, its size. Errors pass through; who handles them logs them. */
export function logging(store: ObjectStore, clock: Clock): ObjectStore {
  const timed = async <T>(operation: string, fields: Fields, scope: Scope, work: () => Promise<T>): Promise<T> => {
    const started = clock.monotonicMs();
    const outcome = (more: Fields) => {
      const ms = Math.round(clock.monotonicMs() - started);
      scope.log.debug("object store call", { operation, ...fields, ms, ...more });
    };
    try {
      const result = await work();
      outcome({});
      return result;
    } catch (error) {
      outcome({ failed: messageOf(error) });
      throw error;
    }
  };
  async function* flowing<T>(operation: string, fields: Fields, scope: Scope, source: AsyncIterable<T>) {
    const started = clock.monotonicMs();
    let count = 0;
    try {
      for await (const value of source) {
        count += value instanceof Uint8Array ? value.length : 1;
        yield value;
      }
    } finally {
      const ms = Math.round(clock.monotonicMs() - started);
      scope.log.debug("object store call", { operation, ...fields, ms, count });
    }
  }
  return {
    get: (key, scope) => flowing("get", { key }, scope, store.get(key, scope)),
    put: (key, body, scope) => timed("put", { key }, scope, () => store.put(key, body, scope)),
    exists: (key, scope) => timed("exists", { key }, scope, () => store.exists(key, scope)),
    delete: (key, scope) => timed("delete", { key }, scope, () => store.delete(key, scope)),
    list: (prefix, scope) => flowing("list", { prefix }, scope, store.list(prefix, scope)),
    listPrefixes: (prefix, scope) => flowing("listPrefixes", { prefix }, scope, store.listPrefixes(prefix, scope)),
    signedUrl: (key, ttlMs, scope) =>
      timed("signedUrl", { key, ttlMs }, scope, () => store.signedUrl(key, ttlMs, scope)),
  };
}
