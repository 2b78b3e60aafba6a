import type { Scope } from "@jibe/base";

/**
 * One storage location: keys are relative to its prefix. Implementers owe: a `put` that failed or was stopped leaves nothing
 * visible under its key and an earlier object untouched; what `put` acknowledged survives a crash; `get` of a missing key fails
 * with `NotFound`, at the latest on the first read; `list` is complete and sorted; nothing is held in memory whole.
 */
export interface ObjectStore {
  get(key: string, scope: Scope): AsyncIterable<Uint8Array>;
  /** `body` is a function so that each attempt reads the content from its start. */
  put(key: string, body: () => AsyncIterable<Uint8Array>, scope: Scope): Promise<void>;
  exists(key: string, scope: Scope): Promise<boolean>;
  /** Deleting what is not there is no error. */
  delete(key: string, scope: Scope): Promise<void>;
  list(prefix: string, scope: Scope): AsyncIterable<string>;
  /** The names directly below a prefix that end with `/`: `backups/` gives `backups/daily/`, `backups/weekly/`. */
  listPrefixes(prefix: string, scope: Scope): AsyncIterable<string>;
  signedUrl(key: string, ttlMs: number, scope: Scope): Promise<string>;
}
