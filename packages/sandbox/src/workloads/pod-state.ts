import { hasCondition } from "../printing/cells.ts";
import { textAt } from "../printing/read.ts";
import type { KubeObject } from "./cluster-port.ts";
import { isGoing } from "./owned.ts";

export const phaseOf = (pod: KubeObject) => textAt(pod, "status.phase");
export const isReady = (pod: KubeObject) => hasCondition(pod, "Ready");
export const isFinished = (pod: KubeObject) => ["Succeeded", "Failed"].includes(phaseOf(pod));
/** Neither finished nor being deleted. */
export const isActive = (pod: KubeObject) => !isGoing(pod) && !isFinished(pod);

/** Pods that may go first stand first: those that are not ready, then the younger ones. */
export function byDispensability(a: KubeObject, b: KubeObject): number {
  if (isReady(a) !== isReady(b)) return isReady(a) ? 1 : -1;
  const [left, right] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
  if (left !== right) return left < right ? 1 : -1;
  return a.metadata.name < b.metadata.name ? 1 : -1;
}
