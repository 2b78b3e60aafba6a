import { listAt, objectAt, textAt } from "../printing/read.ts";
import type { JsonObject } from "../schema/json-object.ts";
import type { ClusterPort, KubeObject } from "./cluster-port.ts";
import { conditionsOf, timeText } from "./conditions.ts";
import type { Reconciler } from "./controller.ts";
import { nodeAddress, nodeName } from "./node.ts";
import { controllerOf, isGoing, namespaceOf, withStatus } from "./owned.ts";
import { isFinished, phaseOf } from "./pod-state.ts";

/** The scheduler's and the kubelet's part: pods get the one node, run, become ready, and end when they are deleted. */
export const podReconciler =
  (addresses: { take(): string }): Reconciler =>
  ({ port, clock }, pod) => {
    const node = textAt(pod, "spec.nodeName");
    if (isGoing(pod)) {
      if (node === nodeName || node === "") port.delete("pods", pod.metadata, { gracePeriodSeconds: 0 });
      return;
    }
    if (node === "") schedule(port, pod, clock.now());
    else if (node === nodeName && phaseOf(pod) === "Pending") {
      port.updateStatus("pods", withStatus(pod, runningStatus(pod, addresses.take(), clock.now())));
    } else if (node === nodeName && !isFinished(pod) && controllerOf(pod)?.kind === "Job") {
      port.updateStatus("pods", withStatus(pod, succeededStatus(pod, clock.now())));
    }
  };

function schedule(port: ClusterPort, pod: KubeObject, now: Date): void {
  if (listAt(pod, "spec.schedulingGates").length > 0) return;
  const unbound = unboundClaim(port, pod);
  if (unbound === undefined) {
    port.bindPod(namespaceOf(pod), pod.metadata.name, nodeName);
    return;
  }
  const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message: unbound } as const;
  const conditions = conditionsOf(pod, [condition], now);
  port.updateStatus("pods", withStatus(pod, { ...objectAt(pod, "status"), conditions }));
}

/** Why a pod's claims keep it from running. */
function unboundClaim(port: ClusterPort, pod: KubeObject): string | undefined {
  for (const name of claimsOf(pod)) {
    const claim = port.get("persistentvolumeclaims", namespaceOf(pod), name);
    if (!claim) return `0/1 nodes are available: persistentvolumeclaim "${name}" not found.`;
    if (textAt(claim, "status.phase") !== "Bound") {
      return "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.";
    }
  }
  return undefined;
}

/** The names of the claims that a pod mounts. */
export const claimsOf = (pod: KubeObject) =>
  listAt(pod, "spec.volumes")
    .map((volume) => textAt(volume, "persistentVolumeClaim.claimName"))
    .filter((name) => name !== "");

const readyTypes = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"];

function runningStatus(pod: KubeObject, ip: string, now: Date): JsonObject {
  const startedAt = timeText(now);
  const conditions = readyTypes.map((type) => ({ type, status: "True" as const }));
  const inits = listAt(pod, "spec.initContainers").map((container) =>
    textAt(container, "restartPolicy") === "Always"
      ? containerStatus(pod, container, { running: { startedAt } })
      : containerStatus(pod, container, completedState(startedAt, startedAt)),
  );
  return {
    ...objectAt(pod, "status"),
    phase: "Running",
    conditions: conditionsOf(pod, conditions, now),
    hostIP: nodeAddress,
    hostIPs: [{ ip: nodeAddress }],
    podIP: ip,
    podIPs: [{ ip }],
    startTime: startedAt,
    ...(inits.length > 0 ? { initContainerStatuses: inits } : {}),
    containerStatuses: listAt(pod, "spec.containers").map((container) =>
      containerStatus(pod, container, { running: { startedAt } }),
    ),
  };
}

const completedState = (startedAt: string, finishedAt: string): JsonObject => ({
  terminated: { exitCode: 0, reason: "Completed", startedAt, finishedAt },
});

function containerStatus(pod: KubeObject, container: JsonObject, state: JsonObject): JsonObject {
  const name = textAt(container, "name");
  const isRunning = Object.hasOwn(state, "running");
  return {
    name,
    state,
    lastState: {},
    ready: isRunning || Object.hasOwn(state, "terminated"),
    restartCount: 0,
    image: textAt(container, "image"),
    imageID: "",
    containerID: `sandbox://${pod.metadata.uid ?? ""}/${name}`,
    started: isRunning,
  };
}

function succeededStatus(pod: KubeObject, now: Date): JsonObject {
  const status = objectAt(pod, "status");
  const finishedAt = timeText(now);
  const ended = new Set(["Ready", "ContainersReady", "PodReadyToStartContainers"]);
  const conditions = readyTypes.map((type) => ({
    type,
    status: ended.has(type) ? ("False" as const) : ("True" as const),
    ...(type === "PodScheduled" || type === "PodReadyToStartContainers" ? {} : { reason: "PodCompleted" }),
  }));
  const statuses = listAt(pod, "spec.containers").map((container) => ({
    ...containerStatus(pod, container, completedState(textAt(status, "startTime"), finishedAt)),
    ready: false,
  }));
  return { ...status, phase: "Succeeded", conditions: conditionsOf(pod, conditions, now), containerStatuses: statuses };
}
