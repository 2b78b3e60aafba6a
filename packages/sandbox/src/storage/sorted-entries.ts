import type { Entry } from "./entry.ts";

/** Entries by key, always in key order. Lists hand out arrays that later writes do not change. */
export class SortedEntries {
  readonly #byKey = new Map<string, Entry>();
  #sorted: Entry[];
  /** Whether an array handed out is still the one being kept. */
  #shared = false;

  constructor(entries: readonly Entry[] = []) {
    this.#sorted = [...entries];
    for (const entry of entries) this.#byKey.set(entry.key, entry);
  }

  get size(): number {
    return this.#byKey.size;
  }

  get(key: string): Entry | undefined {
    return this.#byKey.get(key);
  }

  set(entry: Entry): void {
    this.#own();
    const at = this.#indexOf(entry.key);
    if (this.#byKey.has(entry.key)) this.#sorted[at] = entry;
    else if (at === this.#sorted.length) this.#sorted.push(entry);
    else this.#sorted.splice(at, 0, entry);
    this.#byKey.set(entry.key, entry);
  }

  delete(key: string): void {
    if (!this.#byKey.delete(key)) return;
    this.#own();
    this.#sorted.splice(this.#indexOf(key), 1);
  }

  /** All entries, or those whose key starts with `namespace/`. */
  range(namespace: string): readonly Entry[] {
    if (namespace === "") {
      this.#shared = true;
      return this.#sorted;
    }
    // "0" is the character after "/", so this is the first key behind the namespace.
    return this.#sorted.slice(this.#indexOf(`${namespace}/`), this.#indexOf(`${namespace}0`));
  }

  #own(): void {
    if (!this.#shared) return;
    this.#sorted = [...this.#sorted];
    this.#shared = false;
  }

  #indexOf(key: string): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle]?.key ?? "") < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
