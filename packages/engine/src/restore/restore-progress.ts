import { type Clock, hasCode, messageOf, type Scope } from "@jibe/base";
import type { RunEvent } from "../ports/run-events.ts";
import { createStatusWriter } from "../progress/status-writer.ts";
import type { RestorePorts } from "./restore-request.ts";
import type { RestoredItems } from "./restored-items.ts";

/** The numbers of a restore as it goes: in its status at most once a second, and to a live view. */
export interface RestoreProgress {
  /** Work on one planned item begins. */
  begins(item: PlannedItem): void;
  /** One planned item has been dealt with. */
  processed(item: PlannedItem): void;
  enterWave(name: string): void;
  /** Writes the exact final pair. */
  finish(scope: Scope): Promise<void>;
  /** Writes nothing more. */
  stop(): Promise<void>;
}

/** An item of the plan, by what a view calls it. */
export interface PlannedItem {
  readonly groupResource: string;
  readonly item: string;
}

const eventIntervalMs = 100;

/**
 * The total follows `restored + (planned − processed)`: items that actions bring along raise it, and those of them that were planned lower
 * it again when their turn comes. Of the items in hand the one that has been there the longest is shown: it tells what a restore
 * that does not move is waiting for.
 */
export function createRestoreProgress(
  options: {
    readonly ports: Pick<RestorePorts, "patchStatus" | "onEvent" | "clock">;
    readonly items: RestoredItems;
    readonly planned: number;
  },
  scope: Scope,
): RestoreProgress {
  const { ports, items, planned } = options;
  const rate = rateMeter(ports.clock);
  const inHand = new Set<PlannedItem>();
  let processed = 0;
  let wave = "";
  let lastEventMs = Number.NEGATIVE_INFINITY;
  const writer = createStatusWriter<{ totalItems: number; itemsRestored: number }>(
    {
      patch: (progress, inner) => {
        emit({}); // whoever shows the place beside the numbers has it as it is now
        return ports.patchStatus({ progress }, inner);
      },
      clock: ports.clock,
    },
    scope,
  );
  const pair = () => ({ totalItems: items.finished + (planned - processed), itemsRestored: items.finished });
  const emit = (event: Partial<RunEvent>) => {
    const { totalItems, itemsRestored } = pair();
    const [oldest] = inHand;
    ports.onEvent?.({
      step: "items",
      wave,
      ...oldest,
      itemsDone: itemsRestored,
      itemsTotal: totalItems,
      itemsPerSecond: rate(itemsRestored),
      ...event,
    });
  };
  return {
    begins(item) {
      inHand.add(item);
      writer.update(pair());
    },
    processed(item) {
      inHand.delete(item);
      processed++;
      writer.update(pair());
      const nowMs = ports.clock.monotonicMs();
      if (nowMs - lastEventMs < eventIntervalMs) return;
      lastEventMs = nowMs;
      emit({});
    },
    enterWave(name) {
      wave = name;
      emit({});
    },
    async finish(finishScope) {
      const counted = items.counted;
      await writer.finish({ totalItems: counted, itemsRestored: counted }, finishScope).catch((error: unknown) => {
        finishScope.signal.throwIfAborted();
        if (hasCode(error, "Conflict")) throw error; // the restore is another server's now
        finishScope.log.warn("cannot write the progress of the restore", { error: messageOf(error) });
      });
      emit({ step: "upload", itemsDone: counted, itemsTotal: counted });
    },
    stop: () => writer.stop(),
  };
}

/** Items a second since the start. */
function rateMeter(clock: Clock): (done: number) => number {
  const startedMs = clock.monotonicMs();
  return (done) => {
    const seconds = (clock.monotonicMs() - startedMs) / 1000;
    return seconds > 0 ? done / seconds : 0;
  };
}
