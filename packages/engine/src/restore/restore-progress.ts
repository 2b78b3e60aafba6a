import { type Clock, hasCode, messageOf, type Scope } from "@jibe/base";
import type { RunEvent } from "../ports/run-events.ts";
import { createStatusWriter } from "../progress/status-writer.ts";
import type { RestorePorts } from "./restore-request.ts";
import type { RestoredItems } from "./restored-items.ts";

/** The numbers of a restore as it goes: in its status at most once a second, and to a live view. */
export interface RestoreProgress {
  /** One planned item has been dealt with. */
  processed(groupResource: string, item: string): void;
  enterWave(name: string): void;
  /** Writes the exact final pair. */
  finish(scope: Scope): Promise<void>;
  /** Writes nothing more. */
  stop(): Promise<void>;
}

const eventIntervalMs = 100;

/**
 * The total follows `restored + (planned − processed)`: items that actions bring along raise it, and those of them that were planned lower
 * it again when their turn comes.
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
  let processed = 0;
  let wave = "";
  let lastEventMs = Number.NEGATIVE_INFINITY;
  const writer = createStatusWriter<{ totalItems: number; itemsRestored: number }>(
    { patch: (progress, inner) => ports.patchStatus({ progress }, inner), clock: ports.clock },
    scope,
  );
  const pair = () => ({ totalItems: items.finished + (planned - processed), itemsRestored: items.finished });
  const emit = (event: Partial<RunEvent>) => {
    const { totalItems, itemsRestored } = pair();
    ports.onEvent?.({
      step: "items",
      wave,
      itemsDone: itemsRestored,
      itemsTotal: totalItems,
      itemsPerSecond: rate(itemsRestored),
      ...event,
    });
  };
  return {
    processed(groupResource, item) {
      processed++;
      writer.update(pair());
      const nowMs = ports.clock.monotonicMs();
      if (nowMs - lastEventMs < eventIntervalMs) return;
      lastEventMs = nowMs;
      emit({ groupResource, item });
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
