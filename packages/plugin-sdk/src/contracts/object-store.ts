import type { Scope } from "@jibe/base";

/** Where backups are kept, as a plugin offers it. Keys are whole; `init` may run many times. */
export interface ObjectStore {
  init(config: Readonly<Record<string, string>>, scope: Scope): Promise<void>;
  /** Nothing is visible under the key until the whole body was stored. */
  putObject(bucket: string, key: string, body: AsyncIterable<Uint8Array>, scope: Scope): Promise<void>;
  objectExists(bucket: string, key: string, scope: Scope): Promise<boolean>;
  /** Fails with `NotFound`, at the latest on the first read. */
  getObject(bucket: string, key: string, scope: Scope): AsyncIterable<Uint8Array>;
  /** Full prefixes, ending with the delimiter. */
  listCommonPrefixes(bucket: string, delimiter: string, prefix: string, scope: Scope): Promise<string[]>;
  listObjects(bucket: string, prefix: string, scope: Scope): Promise<string[]>;
  /** Deleting what is not there is no error. */
  deleteObject(bucket: string, key: string, scope: Scope): Promise<void>;
  createSignedUrl(bucket: string, key: string, ttlMs: number, scope: Scope): Promise<string>;
}
