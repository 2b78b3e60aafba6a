import type { Scope } from "@jibe/base";

/** The right to work. It is given back while its holder waits, so that nobody who waits keeps others from working. */
export interface Slot {
  /** Runs `wait` without the slot and takes one again afterwards, ahead of those who have not begun. */
  without<T>(wait: () => Promise<T>, scope: Pick<Scope, "signal">): Promise<T>;
  release(): void;
}

/** For work that nothing bounds. */
export const unboundedSlot: Slot = { without: (wait) => wait(), release: () => {} };

interface Waiter {
  readonly proceed: () => void;
  readonly stop: (reason: unknown) => void;
}

/** Bounds how many items are at work at once. */
export class Slots {
  #free: number;
  readonly #resuming = new Set<Waiter>();
  readonly #waiting = new Set<Waiter>();
  /** Who waits under which signal: one listener each, however many wait. */
  readonly #bySignal = new Map<AbortSignal, Set<Waiter>>();

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Waits for a slot; rejects when stopped first. */
  async take(scope: Pick<Scope, "signal">): Promise<Slot> {
    await this.#acquire(this.#waiting, scope);
    let isHeld = true;
    const release = () => {
      if (isHeld) this.#release();
      isHeld = false;
    };
    return {
      release,
      without: async (wait, waitScope) => {
        release();
        try {
          return await wait();
        } finally {
          await this.#acquire(this.#resuming, waitScope);
          isHeld = true;
        }
      },
    };
  }

  #acquire(queue: Set<Waiter>, { signal }: Pick<Scope, "signal">): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        proceed: () => {
          queue.delete(waiter);
          this.#forget(signal, waiter);
          resolve();
        },
        stop: (reason) => {
          queue.delete(waiter);
          reject(reason);
        },
      };
      queue.add(waiter);
      this.#remember(signal, waiter);
    });
  }

  #release(): void {
    const [next] = this.#resuming.size > 0 ? this.#resuming : this.#waiting;
    if (next) next.proceed();
    else this.#free++;
  }

  #remember(signal: AbortSignal, waiter: Waiter): void {
    const waiters = this.#bySignal.get(signal);
    if (waiters) {
      waiters.add(waiter);
      return;
    }
    const first = new Set([waiter]);
    this.#bySignal.set(signal, first);
    const stopAll = () => {
      this.#bySignal.delete(signal);
      for (const each of first) each.stop(signal.reason);
    };
    signal.addEventListener("abort", stopAll, { once: true });
  }

  #forget(signal: AbortSignal, waiter: Waiter): void {
    // The set and its listener stay for the next who waits: a run has one signal or two.
    this.#bySignal.get(signal)?.delete(waiter);
  }
}
