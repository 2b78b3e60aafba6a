import { textAt } from "../printing/read.ts";
import type { KubeObject } from "./cluster-port.ts";
import type { Reconciler } from "./controller.ts";
import { ensureRevision, revisionLabel } from "./controller-revision.ts";
import { nodeName } from "./node.ts";
import { isGoing, labelsOf, ownedBy, withStatus } from "./owned.ts";
import { isActive, isFinished, isReady } from "./pod-state.ts";
import { podFrom } from "./pod-template.ts";

/** Keeps one pod of a DaemonSet on the one node. */
export const reconcileDaemonSet: Reconciler = ({ port }, set) => {
  if (isGoing(set)) return;
  const { hash } = ensureRevision(port, set);
  const pods = ownedBy(port, set, "pods").filter((pod) => !isGoing(pod));
  const [kept, ...surplus] = pods.filter(isActive);
  const isOutdated = kept !== undefined && labelsOf(kept)[revisionLabel] !== hash;
  const mayReplace = textAt(set, "spec.updateStrategy.type") !== "OnDelete";
  const ending = [...surplus, ...pods.filter(isFinished), ...(isOutdated && mayReplace ? [kept] : [])];
  for (const { metadata } of ending) port.delete("pods", metadata);
  const isThere = ownedBy(port, set, "pods").length > 0;
  if (!isThere) {
    const labels = { [revisionLabel]: hash, "pod-template-generation": String(set.metadata.generation ?? 1) };
    port.create("pods", podFrom(set, { name: { generateName: `${set.metadata.name}-` }, labels, spec: { nodeName } }));
  }
  const after = ownedBy(port, set, "pods").filter(isActive);
  port.updateStatus("daemonsets.apps", withStatus(set, statusOf(set, after, hash)));
};

function statusOf(set: KubeObject, pods: readonly KubeObject[], hash: string) {
  const ready = pods.filter(isReady).length;
  const updated = pods.filter((pod) => labelsOf(pod)[revisionLabel] === hash).length;
  return {
    currentNumberScheduled: pods.length,
    numberMisscheduled: 0,
    desiredNumberScheduled: 1,
    numberReady: ready,
    observedGeneration: set.metadata.generation ?? 1,
    ...(updated > 0 ? { updatedNumberScheduled: updated } : {}),
    ...(ready > 0 ? { numberAvailable: ready } : { numberUnavailable: 1 }),
  };
}
