import { isJsonObject, type JsonObject } from "../schema/json-object.ts";
import { hasCondition, isBeingDeleted, since } from "./cells.ts";
import { at, flagAt, listAt, numberAt, textAt } from "./read.ts";

export interface PodSummary {
  readonly ready: string;
  readonly reason: string;
  readonly restarts: string;
}

interface Tally {
  reason: string;
  ready: number;
  restarts: number;
  lastRestart: string;
}

/** What `kubectl get pods` says of a pod's containers and state. */
export function summarisePod(pod: JsonObject, now: Date): PodSummary {
  const initial = textAt(pod, "status.reason") || textAt(pod, "status.phase");
  const gated = listAt(pod, "status.conditions").some(
    (condition) => textAt(condition, "type") === "PodScheduled" && textAt(condition, "reason") === "SchedulingGated",
  );
  const tally: Tally = { reason: gated ? "SchedulingGated" : initial, ready: 0, restarts: 0, lastRestart: "" };
  const sidecars = sidecarNames(pod);
  const sidecarTally: Tally = { reason: "", ready: 0, restarts: 0, lastRestart: "" };
  const isInitializing = tallyInit(pod, sidecars, { all: tally, sidecars: sidecarTally });
  if (!isInitializing || hasCondition(pod, "Initialized")) {
    tally.restarts = sidecarTally.restarts;
    tally.lastRestart = sidecarTally.lastRestart;
    tallyContainers(pod, tally);
  }
  const total = listAt(pod, "spec.containers").length + sidecars.size;
  return {
    ready: `${tally.ready}/${total}`,
    reason: finalReason(pod, tally.reason),
    restarts: restartsText(tally, now),
  };
}

const sidecarNames = (pod: JsonObject) =>
  new Set(
    listAt(pod, "spec.initContainers")
      .filter((container) => textAt(container, "restartPolicy") === "Always")
      .map((container) => textAt(container, "name")),
  );

function countRestarts(tally: Tally, container: JsonObject): void {
  tally.restarts += numberAt(container, "restartCount");
  const finished = textAt(container, "lastState.terminated.finishedAt");
  if (finished > tally.lastRestart) tally.lastRestart = finished;
}

/** Returns whether an init container has not finished yet. */
function tallyInit(
  pod: JsonObject,
  sidecars: ReadonlySet<string>,
  { all: tally, sidecars: sidecarTally }: { readonly all: Tally; readonly sidecars: Tally },
): boolean {
  const count = listAt(pod, "spec.initContainers").length;
  for (const [index, container] of listAt(pod, "status.initContainerStatuses").entries()) {
    const isSidecar = sidecars.has(textAt(container, "name"));
    countRestarts(tally, container);
    if (isSidecar) countRestarts(sidecarTally, container);
    const terminated = at(container, "state.terminated");
    if (terminated !== undefined && numberAt(terminated, "exitCode") === 0) continue;
    if (isSidecar && flagAt(container, "started")) {
      if (flagAt(container, "ready")) tally.ready++;
      continue;
    }
    tally.reason = initReason(container, `Init:${index}/${count}`);
    return true;
  }
  return false;
}

function initReason(container: JsonObject, progress: string): string {
  const terminated = at(container, "state.terminated");
  if (isJsonObject(terminated)) return `Init:${exitText(terminated)}`;
  const waiting = textAt(container, "state.waiting.reason");
  return waiting !== "" && waiting !== "PodInitializing" ? `Init:${waiting}` : progress;
}

function exitText(terminated: JsonObject): string {
  const signal = numberAt(terminated, "signal");
  return (
    textAt(terminated, "reason") || (signal !== 0 ? `Signal:${signal}` : `ExitCode:${numberAt(terminated, "exitCode")}`)
  );
}

function tallyContainers(pod: JsonObject, tally: Tally): void {
  let hasRunning = false;
  let errorReason = "";
  for (const container of listAt(pod, "status.containerStatuses").toReversed()) {
    countRestarts(tally, container);
    const waiting = textAt(container, "state.waiting.reason");
    const terminated = at(container, "state.terminated");
    if (waiting !== "") tally.reason = waiting;
    else if (isJsonObject(terminated)) {
      tally.reason = exitText(terminated);
      if (numberAt(terminated, "exitCode") !== 0) errorReason = tally.reason;
    } else if (flagAt(container, "ready") && at(container, "state.running") !== undefined) {
      hasRunning = true;
      tally.ready++;
    }
  }
  if (tally.reason !== "Completed") return;
  if (hasRunning && hasCondition(pod, "Ready")) tally.reason = "Running";
  else if (errorReason !== "") tally.reason = errorReason;
  else if (hasRunning) tally.reason = "NotReady";
}

function finalReason(pod: JsonObject, reason: string): string {
  if (!isBeingDeleted(pod)) return reason;
  if (textAt(pod, "status.reason") === "NodeLost") return "Unknown";
  return ["Succeeded", "Failed"].includes(textAt(pod, "status.phase")) ? reason : "Terminating";
}

const restartsText = ({ restarts, lastRestart }: Tally, now: Date) =>
  restarts !== 0 && lastRestart !== "" ? `${restarts} (${since(lastRestart, now)} ago)` : String(restarts);
