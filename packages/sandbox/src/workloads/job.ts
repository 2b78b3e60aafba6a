import { hasCondition } from "../printing/cells.ts";
import { at, flagAt, numberAt, objectAt, textAt } from "../printing/read.ts";
import type { KubeObject } from "./cluster-port.ts";
import { type Condition, conditionsOf, timeText } from "./conditions.ts";
import type { Reconciler } from "./controller.ts";
import { isGoing, labelsOf, ownedBy, withStatus } from "./owned.ts";
import { isActive, isReady, phaseOf } from "./pod-state.ts";
import { podFrom } from "./pod-template.ts";

const indexKey = "batch.kubernetes.io/job-completion-index";

/** Runs a Job's pods until enough have succeeded; simulated pods always do. */
export const reconcileJob: Reconciler = ({ port, clock }, job) => {
  if (isGoing(job) || hasCondition(job, "Complete") || hasCondition(job, "Failed")) return;
  const isSuspended = flagAt(job, "spec.suspend");
  const parallelism = at(job, "spec.parallelism") === undefined ? 1 : numberAt(job, "spec.parallelism");
  const completions = at(job, "spec.completions") === undefined ? undefined : numberAt(job, "spec.completions");
  const pods = ownedBy(port, job, "pods");
  const active = pods.filter(isActive);
  const succeeded = pods.filter((pod) => phaseOf(pod) === "Succeeded").length;
  const isDone = succeeded >= (completions ?? 1);
  const remaining = completions === undefined ? (succeeded > 0 ? 0 : parallelism) : completions - succeeded;
  const wanted = isSuspended || isDone ? 0 : Math.min(parallelism, remaining);
  for (const pod of active.slice(Math.max(0, wanted))) port.delete("pods", pod.metadata);
  for (let i = active.length; i < wanted; i++) port.create("pods", newPod(job, ownedBy(port, job, "pods")));
  const after = ownedBy(port, job, "pods");
  port.updateStatus(
    "jobs.batch",
    withStatus(job, statusOf({ job, pods: after, isSuspended, isDone, now: clock.now() })),
  );
};

function newPod(job: KubeObject, pods: readonly KubeObject[]): KubeObject {
  const base = job.metadata.name;
  if (textAt(job, "spec.completionMode") !== "Indexed") return podFrom(job, { name: { generateName: `${base}-` } });
  const used = new Set(pods.filter((pod) => !isGoing(pod)).map((pod) => labelsOf(pod)[indexKey]));
  let index = 0;
  while (used.has(String(index))) index++;
  const mark = { [indexKey]: String(index) };
  return podFrom(job, {
    name: { generateName: `${base}-${index}-` },
    labels: mark,
    annotations: mark,
    spec: { hostname: `${base}-${index}` },
  });
}

interface Progress {
  readonly job: KubeObject;
  readonly pods: readonly KubeObject[];
  readonly isSuspended: boolean;
  readonly isDone: boolean;
  readonly now: Date;
}

function statusOf({ job, pods, isSuspended, isDone, now }: Progress) {
  const active = pods.filter(isActive);
  const succeeded = pods.filter((pod) => phaseOf(pod) === "Succeeded").length;
  const startTime = textAt(job, "status.startTime") || (isSuspended ? "" : timeText(now));
  const conditions = conditionsOf(job, jobConditions({ job, isSuspended, isDone }), now);
  return {
    ...(isDone || active.length === 0 ? {} : { active: active.length }),
    ...(isDone ? { completionTime: textAt(job, "status.completionTime") || timeText(now) } : {}),
    ...(conditions.length > 0 ? { conditions } : {}),
    ready: isDone ? 0 : active.filter(isReady).length,
    ...(startTime === "" ? {} : { startTime }),
    ...(succeeded > 0 ? { succeeded } : {}),
    ...(textAt(job, "spec.completionMode") === "Indexed" && succeeded > 0
      ? { completedIndexes: indexesText(pods) }
      : {}),
    terminating: 0,
    uncountedTerminatedPods: {},
  };
}

function jobConditions({ job, isSuspended, isDone }: Pick<Progress, "job" | "isSuspended" | "isDone">): Condition[] {
  const reached = {
    status: "True",
    reason: "CompletionsReached",
    message: "Reached expected number of succeeded pods",
  } as const;
  if (isDone)
    return [
      { type: "SuccessCriteriaMet", ...reached },
      { type: "Complete", ...reached },
    ];
  if (isSuspended) return [{ type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" }];
  const wasSuspended = Object.keys(objectAt(job, "status")).length > 0 && hasCondition(job, "Suspended");
  return wasSuspended ? [{ type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" }] : [];
}

/** Completed indexes in their short form: `0,2-4`. */
function indexesText(pods: readonly KubeObject[]): string {
  const done = pods.filter((pod) => phaseOf(pod) === "Succeeded").map((pod) => Number(labelsOf(pod)[indexKey]));
  const sorted = [...new Set(done)].sort((a, b) => a - b);
  const ranges: [number, number][] = [];
  for (const index of sorted) {
    const last = ranges.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else ranges.push([index, index]);
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(",");
}
