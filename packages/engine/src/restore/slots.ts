import type { Scope } from "@jibe/base";

/** The right to work. It is given back while its holder waits, so that nobody who waits keeps others from working. */
export interface Slot {
  /** Runs `wait` without the slot and takes one again afterwards, ahead of those who have not begun. */
  without<T>(wait: () => Promise<T>, scope: Pick<Scope, "signal">): Promise<T>;
  release(): void;
}

/** Bounds how many items are at work at once. */
export class Slots {
  #free: number;
  readonly #resuming: (() => void)[] = [];
  readonly #waiting: (() => void)[] = [];

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

  #acquire(queue: (() => void)[], { signal }: Pick<Scope, "signal">): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const proceed = () => {
        signal.removeEventListener("abort", stop);
        resolve();
      };
      const stop = () => {
        const at = queue.indexOf(proceed);
        if (at >= 0) queue.splice(at, 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", stop, { once: true });
      queue.push(proceed);
    });
  }

  #release(): void {
    const next = this.#resuming.shift() ?? this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
