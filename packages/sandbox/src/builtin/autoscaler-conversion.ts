import { isTree, type KubeObject, listAt, type Tree, treeAt } from "../api/kube-object.ts";
import type { Conversion } from "../registry/resource-type.ts";

const isCpu = (metric: unknown): metric is Tree =>
  isTree(metric) &&
  treeAt(metric, "resource")?.["name"] === "cpu" &&
  typeof treeAt(metric, "resource", "target")?.["averageUtilization"] === "number";

/** Version 1 of autoscalers knows one metric, by a field of its own; the others it cannot show. */
export const autoscalerConversion: Conversion = {
  toStored: (object) => {
    const { targetCPUUtilizationPercentage: percentage, ...spec } = treeAt(object, "spec") ?? {};
    const { currentCPUUtilizationPercentage: _current, ...status } = treeAt(object, "status") ?? {};
    const target = { type: "Utilization", averageUtilization: percentage };
    const metrics =
      typeof percentage === "number" ? { metrics: [{ type: "Resource", resource: { name: "cpu", target } }] } : {};
    return { ...object, spec: { ...spec, ...metrics }, status: { currentMetrics: null, ...status } };
  },
  fromStored: (object: KubeObject) => {
    const { metrics: _metrics, behavior: _behavior, ...spec } = treeAt(object, "spec") ?? {};
    const { currentMetrics: _current, conditions: _conditions, ...status } = treeAt(object, "status") ?? {};
    const cpu = listAt(object, "spec", "metrics").find(isCpu);
    const percentage = treeAt(cpu, "resource", "target")?.["averageUtilization"];
    const shown = percentage === undefined ? {} : { targetCPUUtilizationPercentage: percentage };
    return { ...object, spec: { ...spec, ...shown }, status: { currentReplicas: 0, desiredReplicas: 0, ...status } };
  },
};
