import { matchesLabels } from "@jibe/base";
import { at, objectAt } from "../printing/read.ts";
import type { KubeObject } from "./cluster-port.ts";
import { conditionsOf } from "./conditions.ts";
import type { Reconciler } from "./controller.ts";
import { isGoing, labelsOf, namespaceOf, withStatus } from "./owned.ts";
import { isActive, isReady } from "./pod-state.ts";
import { shareOf } from "./share.ts";

/** Counts how many of a budget's pods may be evicted now. */
export const reconcileDisruptionBudget: Reconciler = ({ port, clock }, budget) => {
  if (isGoing(budget)) return;
  const selector = objectAt(budget, "spec.selector");
  const pods = port
    .list("pods", namespaceOf(budget))
    .filter((pod) => isActive(pod) && matchesLabels(selector, labelsOf(pod)));
  const currentHealthy = pods.filter(isReady).length;
  const desiredHealthy = healthyWanted(budget, pods.length);
  const disruptionsAllowed = pods.length === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const observedGeneration = budget.metadata.generation ?? 1;
  const condition = {
    type: "DisruptionAllowed",
    ...(disruptionsAllowed > 0
      ? ({ status: "True", reason: "SufficientPods" } as const)
      : ({ status: "False", reason: "InsufficientPods" } as const)),
    message: "",
    observedGeneration,
  };
  const conditions = conditionsOf(budget, [condition], clock.now());
  const counts = { currentHealthy, desiredHealthy, disruptionsAllowed, expectedPods: pods.length, observedGeneration };
  port.updateStatus("poddisruptionbudgets.policy", withStatus(budget, { conditions, ...counts }));
};

function healthyWanted(budget: KubeObject, pods: number): number {
  const least = at(budget, "spec.minAvailable");
  if (least !== undefined) return shareOf(least, pods);
  const most = at(budget, "spec.maxUnavailable");
  return most === undefined ? 0 : Math.max(0, pods - shareOf(most, pods));
}
