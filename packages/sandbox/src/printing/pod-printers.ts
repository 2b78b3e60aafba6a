import type { JsonObject } from "../schema/json-object.ts";
import { age, containerCells, hasCondition, labelsText, nameOf } from "./cells.ts";
import { summarisePod } from "./pod-status.ts";
import { columnsOf, type Printer, type RowCondition } from "./printer.ts";
import { at, flagAt, listAt, objectAt, textAt } from "./read.ts";

const finished: Readonly<Record<string, RowCondition>> = {
  Succeeded: {
    type: "Completed",
    status: "True",
    reason: "Succeeded",
    message: "The pod has completed successfully.",
  },
  Failed: { type: "Completed", status: "True", reason: "Failed", message: "The pod failed." },
};

export const pods: Printer = {
  columns: columnsOf(
    "Name",
    "Ready",
    "Status",
    "Restarts",
    "Age",
    "IP*",
    "Node*",
    "Nominated Node*",
    "Readiness Gates*",
  ),
  cells: (pod, now) => {
    const { ready, reason, restarts } = summarisePod(pod, now);
    const [first] = listAt(pod, "status.podIPs");
    return [
      nameOf(pod),
      ready,
      reason,
      restarts,
      age(pod, now),
      textAt(first, "ip") || "<none>",
      textAt(pod, "spec.nodeName") || "<none>",
      textAt(pod, "status.nominatedNodeName") || "<none>",
      readinessGates(pod),
    ];
  },
  conditions: (pod) => {
    const condition = finished[textAt(pod, "status.phase")];
    return condition && [condition];
  },
};

function readinessGates(pod: JsonObject): string {
  const gates = listAt(pod, "spec.readinessGates");
  if (gates.length === 0) return "<none>";
  const met = gates.filter((gate) => hasCondition(pod, textAt(gate, "conditionType")));
  return `${met.length}/${gates.length}`;
}

export const podTemplates: Printer = {
  columns: columnsOf("Name", "Containers", "Images", "Pod Labels"),
  cells: (object) => [
    nameOf(object),
    ...containerCells(at(object, "template.spec")),
    labelsText(objectAt(object, "template.metadata.labels")),
  ],
};

export const nodes: Printer = {
  columns: columnsOf(
    ...["Name", "Status", "Roles", "Age", "Version", "Internal-IP*", "External-IP*", "OS-Image*", "Kernel-Version*"],
    "Container-Runtime*",
  ),
  cells: (node, now) => {
    const info = (name: string) => textAt(node, `status.nodeInfo.${name}`);
    const address = (type: string) =>
      textAt(
        listAt(node, "status.addresses").find((entry) => textAt(entry, "type") === type),
        "address",
      ) || "<none>";
    const architecture = info("architecture");
    return [
      nameOf(node),
      nodeStatus(node),
      nodeRoles(node) || "<none>",
      age(node, now),
      info("kubeletVersion"),
      address("InternalIP"),
      address("ExternalIP"),
      info("osImage") || "<unknown>",
      (info("kernelVersion") || "<unknown>") + (architecture === "" ? "" : ` (${architecture})`),
      info("containerRuntimeVersion") || "<unknown>",
    ];
  },
};

function nodeStatus(node: JsonObject): string {
  const ready = listAt(node, "status.conditions").find((condition) => textAt(condition, "type") === "Ready");
  const status = ready ? (textAt(ready, "status") === "True" ? "Ready" : "NotReady") : "Unknown";
  return flagAt(node, "spec.unschedulable") ? `${status},SchedulingDisabled` : status;
}

function nodeRoles(node: JsonObject): string {
  const prefix = "node-role.kubernetes.io/";
  const roles = Object.entries(objectAt(node, "metadata.labels")).flatMap(([key, value]) => {
    if (key.startsWith(prefix)) return [key.slice(prefix.length)];
    return key === "kubernetes.io/role" ? [String(value)] : [];
  });
  return [...new Set(roles.filter((role) => role !== ""))].sort().join(",");
}
