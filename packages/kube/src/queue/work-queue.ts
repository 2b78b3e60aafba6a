import type { Clock, Scope } from "@jibe/base";

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** The delay after a key's first failure; it doubles with each further one. */
  readonly firstDelayMs?: number;
  readonly maxDelayMs?: number;
}

/**
 * Keys that want work. Three rules hold: a key waits at most once, however often it is added; a key is never worked on
 * twice at the same time; a key added while it is worked on is handed out again afterwards, so nothing is missed.
 */
export class WorkQueue<K = string> {
  readonly #clock: Clock;
  readonly #firstDelayMs: number;
  readonly #maxDelayMs: number;
  /** Wants work: each is in the order below, or is worked on and comes back when that is done. */
  readonly #dirty = new Set<K>();
  readonly #processing = new Set<K>();
  readonly #order: K[] = [];
  readonly #delayed = new Map<K, { readonly dueMs: number; readonly timer: Disposable }>();
  readonly #failures = new Map<K, number>();
  readonly #takers: Array<(key: K | undefined) => void> = [];
  #isShutDown = false;

  constructor({ clock, firstDelayMs = 5, maxDelayMs = 300_000 }: WorkQueueOptions) {
    this.#clock = clock;
    this.#firstDelayMs = firstDelayMs;
    this.#maxDelayMs = maxDelayMs;
  }

  /** How many keys wait to be taken; delayed ones do not count. */
  get size(): number {
    return this.#order.length;
  }

  add(key: K): void {
    if (this.#isShutDown || this.#dirty.has(key)) return;
    this.#dirty.add(key);
    if (!this.#processing.has(key)) this.#offer(key);
  }

  /** Adds a key later. Of several delays for one key the earliest counts. */
  addAfter(key: K, ms: number): void {
    if (this.#isShutDown) return;
    if (ms <= 0) {
      this.add(key);
      return;
    }
    const dueMs = this.#clock.monotonicMs() + ms;
    const known = this.#delayed.get(key);
    if (known && known.dueMs <= dueMs) return;
    known?.timer[Symbol.dispose]();
    const timer = this.#clock.after(ms, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { dueMs, timer });
  }

  /** Adds a key whose work failed, the later the more often it did. */
  addRateLimited(key: K): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.addAfter(key, Math.min(this.#maxDelayMs, this.#firstDelayMs * 2 ** failures));
  }

  /** Clears a key's failures and what was delayed for it: its work succeeded, or will not be tried again. */
  forget(key: K): void {
    this.#failures.delete(key);
    this.#delayed.get(key)?.timer[Symbol.dispose]();
    this.#delayed.delete(key);
  }

  failuresOf(key: K): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The next key, which is then worked on until `done` is called; undefined once the queue is shut down and empty. */
  take({ signal }: Pick<Scope, "signal">): Promise<K | undefined> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const [key] = this.#order;
      if (this.#order.length > 0) {
        this.#order.shift();
        return resolve(this.#begin(key as K));
      }
      if (this.#isShutDown) return resolve(undefined);
      const stop = () => {
        this.#takers.splice(this.#takers.indexOf(taker), 1);
        reject(signal.reason);
      };
      const taker = (taken: K | undefined) => {
        signal.removeEventListener("abort", stop);
        resolve(taken);
      };
      this.#takers.push(taker);
      signal.addEventListener("abort", stop, { once: true });
    });
  }

  /** Ends the work on a key, however it went. */
  done(key: K): void {
    if (!this.#processing.delete(key)) return;
    if (this.#dirty.has(key)) this.#offer(key);
  }

  /** Takes no more keys and drops the delayed ones; those that wait are still handed out. */
  shutDown(): void {
    this.#isShutDown = true;
    for (const { timer } of this.#delayed.values()) timer[Symbol.dispose]();
    this.#delayed.clear();
    for (const taker of this.#takers.splice(0)) taker(undefined);
  }

  #offer(key: K): void {
    const taker = this.#takers.shift();
    if (taker) taker(this.#begin(key));
    else this.#order.push(key);
  }

  #begin(key: K): K {
    this.#dirty.delete(key);
    this.#processing.add(key);
    return key;
  }
}
