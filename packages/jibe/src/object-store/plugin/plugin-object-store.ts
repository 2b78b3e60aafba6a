import { AppError, messageOf } from "@jibe/base";
import type { ObjectStore } from "@jibe/engine";
import type { ObjectStore as ObjectStoreContract } from "@jibe/plugin-sdk/contracts";
import { compareKeys } from "../key-order.ts";
import { keyPrefix } from "../key-prefix.ts";

// What Velero takes for "not there", since plugins have no code for it on the wire.
const notFound = /not found|does not exist|nosuchkey|blobnotfound|objectnotexist|no such file/i;

/** One location in a plugin's store, which has been initialised. Whole keys of a bucket become keys of the location. */
export function pluginObjectStore(
  contract: ObjectStoreContract,
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
): ObjectStore {
  const { full, relative } = keyPrefix(prefix);
  return {
    async *get(key, scope) {
      scope.signal.throwIfAborted();
      try {
        yield* contract.getObject(bucket, full(key), scope);
      } catch (error) {
        scope.signal.throwIfAborted();
        throw isUnclassified(error) && notFound.test(messageOf(error))
          ? new AppError("NotFound", `object ${JSON.stringify(key)} not found`, { cause: error })
          : error;
      }
    },
    put: async (key, body, scope) => {
      scope.signal.throwIfAborted();
      await contract.putObject(bucket, full(key), body(), scope);
    },
    exists: async (key, scope) => {
      scope.signal.throwIfAborted();
      return contract.objectExists(bucket, full(key), scope);
    },
    delete: async (key, scope) => {
      scope.signal.throwIfAborted();
      try {
        await contract.deleteObject(bucket, full(key), scope);
      } catch (error) {
        scope.signal.throwIfAborted();
        if (!(isUnclassified(error) && notFound.test(messageOf(error)))) throw error;
      }
    },
    async *list(prefix, scope) {
      scope.signal.throwIfAborted();
      const keys = await contract.listObjects(bucket, full(prefix), scope);
      yield* keys.map(relative).sort(compareKeys);
    },
    async *listPrefixes(prefix, scope) {
      scope.signal.throwIfAborted();
      const prefixes = await contract.listCommonPrefixes(bucket, "/", full(prefix), scope);
      yield* prefixes.map(relative).sort(compareKeys);
    },
    signedUrl: async (key, ttlMs, scope) => {
      scope.signal.throwIfAborted();
      return contract.createSignedUrl(bucket, full(key), ttlMs, scope);
    },
  };
}

/** A plugin's own text, behind a code that says nothing; the host's own codes (dead process, time limit) are believed. */
function isUnclassified(error: unknown): boolean {
  return !(error instanceof AppError) || error.code === "Internal" || error.code === "NotFound";
}
