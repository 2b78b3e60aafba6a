import type { Scope } from "@jibe/base";
import type { Slot } from "../slots/slots.ts";

/**
 * The items whose turn has begun and not ended, and who among them waits for whom. An item waits for at most one other at a
 * time, so the waits form chains; a wait that would close a chain into a cycle is not begun.
 */
export class ItemRuns {
  readonly #running = new Map<string, RunningItem>();

  /** Marks an item as running until the result is disposed. */
  begin(key: string): Disposable {
    const state: RunningItem = {};
    this.#running.set(key, state);
    return {
      [Symbol.dispose]: () => {
        this.#running.delete(key);
        state.end?.();
      },
    };
  }

  /** Does the work of one item inside the turn of another, which counts as waiting meanwhile. */
  async inside<T>(asker: string, wanted: string, work: () => Promise<T>): Promise<T> {
    const state = this.#running.get(asker);
    if (state) state.waitsFor = wanted;
    try {
      return await work();
    } finally {
      if (state) delete state.waitsFor;
    }
  }

  /**
   * Waits until an item has ended, outside the asker's slot. Returns at once when it is not running, or when it waits, by
   * whatever chain, for the asker itself: then the request counts as met.
   */
  async ended(
    { asker, wanted, slot }: { readonly asker: string; readonly wanted: string; readonly slot: Slot },
    scope: Scope,
  ): Promise<void> {
    const state = this.#running.get(wanted);
    if (!state || this.#waitsFor(wanted, asker)) return;
    await this.inside(asker, wanted, () => slot.without(() => endOf(state), scope));
  }

  #waitsFor(from: string, target: string): boolean {
    const seen = new Set<string>();
    for (let at: string | undefined = from; at !== undefined && !seen.has(at); at = this.#running.get(at)?.waitsFor) {
      if (at === target) return true;
      seen.add(at);
    }
    return false;
  }
}

interface RunningItem {
  waitsFor?: string;
  /** Made when someone first waits: most items end without that. */
  ended?: Promise<void>;
  end?: () => void;
}

function endOf(state: RunningItem): Promise<void> {
  if (!state.ended) {
    const { promise, resolve } = Promise.withResolvers<void>();
    state.ended = promise;
    state.end = resolve;
  }
  return state.ended;
}
