import type { ResourceType } from "@jibe/engine";
import type { Backup, Restore } from "../../api/resources.ts";
import { type ActiveRuns, isCancelRequested } from "../active-runs.ts";
import { type Controller, done } from "../controller.ts";
import type { Resources } from "../resources.ts";

/** Something that may be asking a plugin about a run's operations, and waits for the answer. */
export interface Interruptible {
  isPolling(name: string): boolean;
  /** Gives up the questions that are open, so that the cancel does not wait for a plugin that hangs. */
  interrupt(name: string): Promise<void>;
}

/** Stops runs of this server when their resource asks for it. Runs that only wait are ended by the operations controller. */
export function cancelController<T extends Backup | Restore>({
  kind,
  type,
  resources,
  active,
  finalizing,
  operations,
}: {
  readonly kind: "backup" | "restore";
  readonly type: ResourceType;
  readonly resources: Resources<T>;
  readonly active: ActiveRuns;
  readonly finalizing: ActiveRuns;
  readonly operations: Interruptible;
}): Controller {
  return {
    name: `${kind}-cancel`,
    type,
    reconcile: async (name, scope) => {
      if (!active.isRunning(name) && !finalizing.isRunning(name) && !operations.isPolling(name)) return done;
      const object = await resources.find(name, scope);
      const isGone = object === undefined || object.metadata.deletionTimestamp !== undefined;
      if (!isGone && !isCancelRequested(object)) return done;
      await operations.interrupt(name);
      // A run whose resource is gone altogether is brought to its end: its files are all that is left of it.
      const isFinalizing = object !== undefined && finalizing.cancel(name);
      if (active.cancel(name) || isFinalizing) {
        scope.log.info(isGone ? "run stopped because its resource was deleted" : "run canceled by user", {
          [kind]: name,
        });
      }
      return done;
    },
  };
}
