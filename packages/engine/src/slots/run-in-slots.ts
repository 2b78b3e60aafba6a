import type { Scope } from "@jibe/base";
import { type Slot, Slots } from "./slots.ts";

export interface RunInSlotsOptions<Item> {
  /** How many may be at work at once. */
  readonly limit: number;
  /** How many may be under way, those included that wait without their slot. */
  readonly maxStarted?: number;
  readonly each: (item: Item, slot: Slot, scope: Scope) => Promise<void>;
  /** Whether the items after this one are started only when it has ended. None unless given. */
  readonly holdsUp?: (item: Item) => boolean;
}

/**
 * Runs `each` over the items, started in their order. The first failure stops the rest and is thrown after all that had started came
 * to their end.
 */
export async function runInSlots<Item>(
  items: AsyncIterable<Item>,
  { limit, maxStarted = 1024, each, holdsUp }: RunInSlotsOptions<Item>,
  scope: Scope,
): Promise<void> {
  const stopping = new AbortController();
  const inner: Scope = { ...scope, signal: AbortSignal.any([scope.signal, stopping.signal]) };
  const slots = new Slots(limit);
  const started = new Set<Promise<void>>();
  const run = async (item: Item, slot: Slot) => {
    try {
      await each(item, slot, inner);
    } catch (error) {
      stopping.abort(error);
    } finally {
      slot.release();
    }
  };
  try {
    for await (const item of items) {
      if (started.size >= maxStarted) await Promise.race(started);
      const task: Promise<void> = run(item, await slots.take(inner)).finally(() => started.delete(task));
      started.add(task);
      if (holdsUp?.(item)) await task;
    }
  } catch (error) {
    stopping.abort(error);
  } finally {
    await Promise.all(started);
  }
  inner.signal.throwIfAborted();
}
