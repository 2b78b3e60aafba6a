import type { KubeObject } from "../api/kube-object.ts";
import { ByteArena } from "./byte-arena.ts";
import { type Entry, entryFrom } from "./entry.ts";
import { EventLog, type StoreEvent } from "./event-log.ts";
import { SortedEntries } from "./sorted-entries.ts";

/** Keeps committed entries beyond the life of the process. Called before a write is visible to anyone. */
export interface DurableLog {
  save(bucket: string, entry: Entry): void;
  remove(bucket: string, key: string, revision: number): void;
  load(): { readonly revision: number; readonly entries: Iterable<readonly [bucket: string, entry: Entry]> };
  [Symbol.dispose](): void;
}

export interface StoreOptions {
  /** How many events are kept for watches and for paging; older revisions are gone (410). */
  readonly historyEvents?: number;
  readonly durable?: DurableLog | undefined;
}

/**
 * All objects, by bucket and key, with one revision counter and a bounded history of changes.
 * Everything is synchronous: between reading an entry and committing its successor nobody else can write.
 */
export class Store implements Disposable {
  readonly #buckets = new Map<string, SortedEntries>();
  readonly #listeners = new Set<(event: StoreEvent) => void>();
  readonly #log: EventLog;
  readonly #durable: DurableLog | undefined;
  readonly #arena = new ByteArena();
  #revision = 1;

  constructor({ historyEvents = 100_000, durable }: StoreOptions = {}) {
    this.#durable = durable;
    const loaded = durable?.load();
    if (loaded) {
      this.#revision = Math.max(1, loaded.revision);
      for (const [bucket, entry] of loaded.entries) this.#bucket(bucket).set(entry);
    }
    this.#log = new EventLog(historyEvents, this.#revision);
  }

  get revision(): number {
    return this.#revision;
  }

  /** The oldest revision whose successors are still known. */
  get compactedRevision(): number {
    return this.#log.compactedRevision;
  }

  get(bucket: string, key: string): Entry | undefined {
    return this.#buckets.get(bucket)?.get(key);
  }

  /** Entries in key order, of one namespace or of all, as of now. */
  list(bucket: string, namespace = ""): readonly Entry[] {
    return this.#buckets.get(bucket)?.range(namespace) ?? [];
  }

  /** Entries as they were at a revision that is not compacted yet. */
  listAt(bucket: string, namespace: string, revision: number): readonly Entry[] {
    const events = this.#log.since(bucket, revision);
    if (events.length === 0) return this.list(bucket, namespace);
    const past = new SortedEntries(this.list(bucket));
    for (const { entry, previous } of events.toReversed()) {
      if (previous) past.set(previous);
      else past.delete(entry.key);
    }
    return past.range(namespace);
  }

  /** Buckets that hold at least one object. */
  buckets(): readonly string[] {
    return [...this.#buckets].filter(([, entries]) => entries.size > 0).map(([bucket]) => bucket);
  }

  /** Writes an object; its `resourceVersion` is set to the new revision. */
  commit(bucket: string, object: KubeObject): Entry {
    const revision = this.#revision + 1;
    const entry = entryFrom(object, revision, this.#arena);
    this.#durable?.save(bucket, entry);
    this.#revision = revision;
    const entries = this.#bucket(bucket);
    const previous = entries.get(entry.key);
    entries.set(entry);
    this.#publish({ revision, bucket, type: previous ? "MODIFIED" : "ADDED", entry, previous });
    return entry;
  }

  /** Removes an object; the event carries its last state at the revision of the removal. */
  remove(bucket: string, object: KubeObject): Entry {
    const revision = this.#revision + 1;
    const entry = entryFrom(object, revision, this.#arena);
    this.#durable?.remove(bucket, entry.key, revision);
    this.#revision = revision;
    const entries = this.#bucket(bucket);
    const previous = entries.get(entry.key);
    entries.delete(entry.key);
    this.#publish({ revision, bucket, type: "DELETED", entry, previous });
    return entry;
  }

  /** Events of a bucket after a revision, oldest first; undefined when they are compacted. */
  eventsSince(bucket: string, revision: number): readonly StoreEvent[] | undefined {
    return revision < this.#log.compactedRevision ? undefined : this.#log.since(bucket, revision);
  }

  /** Forgets history up to now, as etcd's compaction does. */
  compact(): void {
    this.#log.compact(this.#revision);
  }

  /** Calls the listener for each commit, in order. Disposing stops it. */
  listen(listener: (event: StoreEvent) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  [Symbol.dispose](): void {
    this.#listeners.clear();
    this.#durable?.[Symbol.dispose]();
  }

  #bucket(name: string): SortedEntries {
    let bucket = this.#buckets.get(name);
    if (!bucket) {
      bucket = new SortedEntries();
      this.#buckets.set(name, bucket);
    }
    return bucket;
  }

  #publish(event: StoreEvent): void {
    this.#log.append(event);
    for (const listener of this.#listeners) listener(event);
  }
}
