import type { ResourceType } from "@jibe/engine";
import type { Backup, Restore } from "../../api/resources.ts";
import { type ActiveRuns, isCancelRequested } from "../active-runs.ts";
import { type Controller, done } from "../controller.ts";
import type { Resources } from "../resources.ts";

/** Stops runs of this server when their resource asks for it. Runs that only wait are stopped by the operations controller. */
export function cancelController<T extends Backup | Restore>({
  kind,
  type,
  resources,
  active,
}: {
  readonly kind: "backup" | "restore";
  readonly type: ResourceType;
  readonly resources: Resources<T>;
  readonly active: ActiveRuns;
}): Controller {
  return {
    name: `${kind}-cancel`,
    type,
    reconcile: async (name, scope) => {
      if (!active.isRunning(name)) return done;
      const object = await resources.find(name, scope);
      const isGone = object === undefined || object.metadata.deletionTimestamp !== undefined;
      if ((isGone || isCancelRequested(object)) && active.cancel(name)) {
        scope.log.info(isGone ? "run stopped because its resource was deleted" : "run canceled by user", {
          [kind]: name,
        });
      }
      return done;
    },
  };
}
