import { AppError } from "@jibe/base";
import type { ObjectStore } from "@jibe/engine";

/** Refuses every change, for locations whose access mode is ReadOnly. */
export function readOnly(store: ObjectStore, location: string): ObjectStore {
  const refuse = async (doing: string, key: string) => {
    throw new AppError(
      "PermissionDenied",
      `cannot ${doing} ${JSON.stringify(key)}: location "${location}" is read-only`,
    );
  };
  return {
    get: (key, scope) => store.get(key, scope),
    put: (key) => refuse("store", key),
    exists: (key, scope) => store.exists(key, scope),
    delete: (key) => refuse("delete", key),
    list: (prefix, scope) => store.list(prefix, scope),
    listPrefixes: (prefix, scope) => store.listPrefixes(prefix, scope),
    signedUrl: (key, ttlMs, scope) => store.signedUrl(key, ttlMs, scope),
  };
}
