import type { Scope } from "@jibe/base";

/** A place among those that may work at once. */
export interface Slot {
  /** Gives the place to others while `wait` waits, and takes one again afterwards. */
  outside<T>(wait: () => Promise<T>): Promise<T>;
}

/**
 * Runs `each` over the items, started in their order, with at most `limit` at work. Those that wait outside their slot do not
 * count, so up to `maxStarted` may be under way. The first failure stops the rest and is thrown after all that had started came to
 * their end.
 */
export async function runInSlots<Item>(
  items: AsyncIterable<Item>,
  {
    limit,
    maxStarted = 1024,
    each,
  }: {
    readonly limit: number;
    readonly maxStarted?: number;
    readonly each: (item: Item, slot: Slot, scope: Scope) => Promise<void>;
  },
  scope: Scope,
): Promise<void> {
  const stopping = new AbortController();
  const inner: Scope = { ...scope, signal: AbortSignal.any([scope.signal, stopping.signal]) };
  const slots = new Slots(limit);
  const started = new Set<Promise<void>>();
  const slot: Slot = { outside: (wait) => slots.outside(wait) };
  const run = async (item: Item) => {
    try {
      await each(item, slot, inner);
    } catch (error) {
      stopping.abort(error);
    } finally {
      slots.release();
    }
  };
  try {
    for await (const item of items) {
      if (started.size >= maxStarted) await Promise.race(started);
      await slots.acquire();
      if (inner.signal.aborted) break;
      const task: Promise<void> = run(item).finally(() => started.delete(task));
      started.add(task);
    }
  } catch (error) {
    stopping.abort(error);
  } finally {
    await Promise.all(started);
  }
  inner.signal.throwIfAborted();
}

class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  async acquire(): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    await promise;
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }

  async outside<T>(wait: () => Promise<T>): Promise<T> {
    this.release();
    try {
      return await wait();
    } finally {
      await this.acquire();
    }
  }
}
