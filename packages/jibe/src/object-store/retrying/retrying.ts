import { backoffMs, isRetriable, type RetryPolicy, retry, type Scope } from "@jibe/base";
import type { ObjectStore } from "@jibe/engine";

/**
 * Tries again what failed for a reason that may pass. A reading or listing is begun again as long as nothing of it was handed
 * on; after that its failure is the caller's, because the content may have changed in between.
 */
export function retrying(store: ObjectStore, policy: RetryPolicy): ObjectStore {
  return {
    get: (key, scope) => restarted(() => store.get(key, scope), policy, scope),
    put: (key, body, scope) => retry(() => store.put(key, body, scope), policy, scope),
    exists: (key, scope) => retry(() => store.exists(key, scope), policy, scope),
    delete: (key, scope) => retry(() => store.delete(key, scope), policy, scope),
    list: (prefix, scope) => restarted(() => store.list(prefix, scope), policy, scope),
    listPrefixes: (prefix, scope) => restarted(() => store.listPrefixes(prefix, scope), policy, scope),
    signedUrl: (key, ttlMs, scope) => retry(() => store.signedUrl(key, ttlMs, scope), policy, scope),
  };
}

async function* restarted<T>(begin: () => AsyncIterable<T>, policy: RetryPolicy, scope: Scope): AsyncGenerator<T> {
  const { when = isRetriable } = policy;
  for (let attempt = 0; ; attempt++) {
    let begun = false;
    try {
      for await (const value of begin()) {
        begun = true;
        yield value;
      }
      return;
    } catch (error) {
      scope.signal.throwIfAborted();
      if (begun || attempt + 1 >= policy.attempts || !when(error)) throw error;
      await policy.clock.sleep(backoffMs(attempt, policy), scope);
    }
  }
}
