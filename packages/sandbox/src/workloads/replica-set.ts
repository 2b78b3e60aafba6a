import { matchesLabels } from "@jibe/base";
import { numberAt, objectAt } from "../printing/read.ts";
import type { KubeObject } from "./cluster-port.ts";
import type { Reconciler } from "./controller.ts";
import { isGoing, labelsOf, ownedBy, withStatus } from "./owned.ts";
import { byDispensability, isActive, isReady } from "./pod-state.ts";
import { podFrom } from "./pod-template.ts";

/** Keeps as many pods as a ReplicaSet asks for. */
export const reconcileReplicaSet: Reconciler = ({ port }, replicaSet) => {
  if (isGoing(replicaSet)) return;
  const active = ownedBy(port, replicaSet, "pods").filter(isActive);
  const missing = numberAt(replicaSet, "spec.replicas") - active.length;
  for (let i = 0; i < missing; i++) {
    port.create("pods", podFrom(replicaSet, { name: { generateName: `${replicaSet.metadata.name}-` } }));
  }
  for (const { metadata } of active.toSorted(byDispensability).slice(0, Math.max(0, -missing))) {
    port.delete("pods", metadata);
  }
  port.updateStatus(
    "replicasets.apps",
    withStatus(replicaSet, statusOf(replicaSet, ownedBy(port, replicaSet, "pods"))),
  );
};

function statusOf(replicaSet: KubeObject, owned: readonly KubeObject[]) {
  const pods = owned.filter(isActive);
  const labels = objectAt(replicaSet, "spec.template.metadata.labels") as Record<string, string>;
  const ready = pods.filter(isReady).length;
  const labelled = pods.filter((pod) => matchesLabels({ matchLabels: labels }, labelsOf(pod))).length;
  return {
    replicas: pods.length,
    ...(labelled > 0 ? { fullyLabeledReplicas: labelled } : {}),
    ...(ready > 0 ? { readyReplicas: ready, availableReplicas: ready } : {}),
    observedGeneration: replicaSet.metadata.generation ?? 1,
  };
}
