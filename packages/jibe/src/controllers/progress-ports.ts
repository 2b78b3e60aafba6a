import type { Scope } from "@jibe/base";
import type { RunEvent } from "@jibe/engine";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { ClaimedRun } from "./claimed-run.ts";

/** The ports by which a run tells how far it is. Where it is goes out with its numbers, and costs no write of its own. */
export function progressPorts<T extends KubernetesObject>(claimed: Pick<ClaimedRun<T>, "patchProgress">) {
  let place = "";
  return {
    onEvent: (event: RunEvent): void => {
      place = placeOf(event);
    },
    patchStatus: async (status: object, scope: Scope): Promise<void> => {
      await claimed.patchProgress(status as Record<string, unknown>, place, scope);
    },
  };
}

/** `pods`, or for a restore `wave other types: deployments.apps shop/web`. */
export function placeOf({ wave, groupResource, item }: RunEvent): string {
  const at = [wave === groupResource ? undefined : groupResource, item].filter(Boolean).join(" ");
  return [wave ? `wave ${wave}` : "", at].filter((part) => part !== "").join(": ");
}
