import type { Entry } from "./entry.ts";

export interface StoreEvent {
  readonly revision: number;
  readonly bucket: string;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly entry: Entry;
  readonly previous: Entry | undefined;
}

/** The last changes, oldest first. When it is full the older half is forgotten. */
export class EventLog {
  readonly #limit: number;
  #events: StoreEvent[] = [];
  #compacted: number;

  constructor(limit: number, revision: number) {
    this.#limit = limit;
    this.#compacted = revision;
  }

  /** Events up to this revision are gone. */
  get compactedRevision(): number {
    return this.#compacted;
  }

  append(event: StoreEvent): void {
    this.#events.push(event);
    if (this.#events.length <= this.#limit) return;
    const cut = this.#events[this.#events.length >>> 1];
    if (cut) this.compact(cut.revision);
  }

  compact(revision: number): void {
    this.#events = this.#events.slice(this.#firstAfter(revision));
    this.#compacted = Math.max(this.#compacted, revision);
  }

  since(bucket: string, revision: number): StoreEvent[] {
    const found: StoreEvent[] = [];
    for (let at = this.#firstAfter(revision); at < this.#events.length; at++) {
      const event = this.#events[at];
      if (event?.bucket === bucket) found.push(event);
    }
    return found;
  }

  #firstAfter(revision: number): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
