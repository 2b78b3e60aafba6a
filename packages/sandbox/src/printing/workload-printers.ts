import type { JsonObject } from "../schema/json-object.ts";
import {
  age,
  containerCells,
  hasCondition,
  isBeingDeleted,
  labelsText,
  nameOf,
  selectorOrNone,
  selectorText,
  since,
} from "./cells.ts";
import { humanDuration } from "./human-duration.ts";
import { columnsOf, type Printer } from "./printer.ts";
import { at, flagAt, listAt, numberAt, objectAt, textAt } from "./read.ts";

const templateCells = (object: JsonObject) => containerCells(at(object, "spec.template.spec"));

export const deployments: Printer = {
  columns: columnsOf("Name", "Ready", "Up-to-date", "Available", "Age", "Containers*", "Images*", "Selector*"),
  cells: (object, now) => [
    nameOf(object),
    `${numberAt(object, "status.readyReplicas")}/${numberAt(object, "spec.replicas")}`,
    numberAt(object, "status.updatedReplicas"),
    numberAt(object, "status.availableReplicas"),
    age(object, now),
    ...templateCells(object),
    selectorText(at(object, "spec.selector")),
  ],
};

const replicaColumns = columnsOf(
  ...["Name", "Desired(integer)", "Current(integer)", "Ready(integer)", "Age", "Containers*", "Images*", "Selector*"],
);

const replicaCells = (object: JsonObject, now: Date) => [
  nameOf(object),
  numberAt(object, "spec.replicas"),
  numberAt(object, "status.replicas"),
  numberAt(object, "status.readyReplicas"),
  age(object, now),
  ...templateCells(object),
];

export const replicaSets: Printer = {
  columns: replicaColumns,
  cells: (object, now) => [...replicaCells(object, now), selectorOrNone(at(object, "spec.selector"))],
};

export const replicationControllers: Printer = {
  columns: replicaColumns,
  cells: (object, now) => [...replicaCells(object, now), labelsText(objectAt(object, "spec.selector"))],
};

export const statefulSets: Printer = {
  columns: columnsOf("Name", "Ready", "Age", "Containers*", "Images*"),
  cells: (object, now) => [
    nameOf(object),
    `${numberAt(object, "status.readyReplicas")}/${numberAt(object, "spec.replicas")}`,
    age(object, now),
    ...templateCells(object),
  ],
};

export const daemonSets: Printer = {
  columns: columnsOf(
    ...["Name", "Desired(integer)", "Current(integer)", "Ready(integer)", "Up-to-date(integer)"],
    ...["Available(integer)", "Node Selector", "Age", "Containers*", "Images*", "Selector*"],
  ),
  cells: (object, now) => [
    nameOf(object),
    numberAt(object, "status.desiredNumberScheduled"),
    numberAt(object, "status.currentNumberScheduled"),
    numberAt(object, "status.numberReady"),
    numberAt(object, "status.updatedNumberScheduled"),
    numberAt(object, "status.numberAvailable"),
    labelsText(objectAt(object, "spec.template.spec.nodeSelector")),
    age(object, now),
    ...templateCells(object),
    selectorOrNone(at(object, "spec.selector")),
  ],
};

export const controllerRevisions: Printer = {
  columns: columnsOf("Name", "Controller", "Revision", "Age"),
  cells: (object, now) => [nameOf(object), controllerName(object), numberAt(object, "revision"), age(object, now)],
};

function controllerName(object: JsonObject): string {
  const controller = listAt(object, "metadata.ownerReferences").find((owner) => flagAt(owner, "controller"));
  if (!controller) return "<none>";
  const [, group] = textAt(controller, "apiVersion").split("/").reverse();
  const kind = textAt(controller, "kind").toLowerCase();
  return `${group ? `${kind}.${group}` : kind}/${textAt(controller, "name")}`;
}

export const jobs: Printer = {
  columns: columnsOf("Name", "Status", "Completions", "Duration", "Age", "Containers*", "Images*", "Selector*"),
  cells: (object, now) => [
    nameOf(object),
    jobStatus(object),
    jobCompletions(object),
    jobDuration(object, now),
    age(object, now),
    ...templateCells(object),
    selectorOrNone(at(object, "spec.selector")),
  ],
};

function jobStatus(object: JsonObject): string {
  if (hasCondition(object, "Complete")) return "Complete";
  if (hasCondition(object, "Failed")) return "Failed";
  if (isBeingDeleted(object)) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find((type) => hasCondition(object, type)) ?? "Running";
}

function jobCompletions(object: JsonObject): string {
  const succeeded = numberAt(object, "status.succeeded");
  if (at(object, "spec.completions") !== undefined) return `${succeeded}/${numberAt(object, "spec.completions")}`;
  const parallelism = numberAt(object, "spec.parallelism");
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(object: JsonObject, now: Date): string {
  const start = Date.parse(textAt(object, "status.startTime"));
  if (Number.isNaN(start)) return "";
  const end = Date.parse(textAt(object, "status.completionTime"));
  return humanDuration((Number.isNaN(end) ? now.getTime() : end) - start);
}

export const cronJobs: Printer = {
  columns: columnsOf(
    ...["Name", "Schedule", "Timezone", "Suspend(boolean)", "Active(integer)", "Last Schedule", "Age"],
    ...["Containers*", "Images*", "Selector*"],
  ),
  cells: (object, now) => {
    const last = at(object, "status.lastScheduleTime");
    return [
      nameOf(object),
      textAt(object, "spec.schedule"),
      textAt(object, "spec.timeZone") || "<none>",
      flagAt(object, "spec.suspend") ? "True" : "False",
      listAt(object, "status.active").length,
      last === undefined ? "<none>" : since(last, now),
      age(object, now),
      ...containerCells(at(object, "spec.jobTemplate.spec.template.spec")),
      selectorOrNone(at(object, "spec.jobTemplate.spec.selector")),
    ];
  },
};

export const horizontalPodAutoscalers: Printer = {
  columns: columnsOf("Name", "Reference", "Targets", "MinPods", "MaxPods", "Replicas", "Age"),
  cells: (object, now) => {
    const minimum = at(object, "spec.minReplicas");
    return [
      nameOf(object),
      `${textAt(object, "spec.scaleTargetRef.kind")}/${textAt(object, "spec.scaleTargetRef.name")}`,
      hpaTargets(object),
      minimum === undefined ? "<unset>" : String(minimum),
      numberAt(object, "spec.maxReplicas"),
      numberAt(object, "status.currentReplicas"),
      age(object, now),
    ];
  },
};

function hpaTargets(object: JsonObject): string {
  const statuses = listAt(object, "status.currentMetrics");
  const targets = listAt(object, "spec.metrics").map((metric, index) => metricText(metric, statuses[index]));
  if (targets.length === 0) return "<none>";
  const shown = targets.slice(0, 2).join(", ");
  return targets.length > 2 ? `${shown} + ${targets.length - 2} more...` : shown;
}

function metricText(metric: JsonObject, status: JsonObject | undefined): string {
  const type = textAt(metric, "type");
  const source = type.charAt(0).toLowerCase() + type.slice(1);
  if (!["external", "pods", "object", "resource", "containerResource"].includes(source)) return "<unknown type>";
  const target = (name: string) => at(metric, `${source}.target.${name}`);
  const current = (name: string) => at(status, `${source}.current.${name}`);
  const average = target("averageValue");
  if (source === "resource" || source === "containerResource") {
    const name = textAt(metric, `${source}.name`);
    if (average !== undefined) return `${name}: ${current("averageValue") ?? "<unknown>"}/${average}`;
    const percent = (value: unknown, otherwise: string) => (value === undefined ? otherwise : `${value}%`);
    return `${name}: ${percent(current("averageUtilization"), "<unknown>")}/${percent(target("averageUtilization"), "<auto>")}`;
  }
  if (average === undefined) return `${current("value") ?? "<unknown>"}/${target("value")}`;
  return `${current("averageValue") ?? "<unknown>"}/${average}${source === "pods" ? "" : " (avg)"}`;
}
