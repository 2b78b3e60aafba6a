import { isTree, listAt, textAt, treeAt } from "../api/kube-object.ts";
import { forbidden } from "../schema/field-error.ts";
import { fill } from "./pod-spec.ts";
import type { Strategy } from "./strategy.ts";

export const disruptionBudgetStrategy: Strategy = {
  hasGeneration: true,
  generationParts: ["spec"],
  requiresVersion: true,
};

export const priorityClassStrategy: Strategy = {
  hasGeneration: true,
  setDefaults: (object) => fill(object, { preemptionPolicy: "PreemptLowerPriority" }),
  validate: (object, old) =>
    old && object["value"] !== old["value"] ? [forbidden("value", "may not be changed in an update.")] : [],
};

export const limitRangeStrategy: Strategy = {
  createsOnUpdate: true,
  setDefaults: (object) => {
    for (const limit of listAt(object, "spec", "limits").filter(isTree)) {
      if (limit["type"] !== "Container") continue;
      const [max, min] = [treeAt(limit, "max") ?? {}, treeAt(limit, "min") ?? {}];
      limit["default"] = { ...max, ...treeAt(limit, "default") };
      limit["defaultRequest"] = { ...min, ...treeAt(limit, "default"), ...treeAt(limit, "defaultRequest") };
    }
  },
};

export const resourceQuotaStrategy: Strategy = { returnsDeleted: true };

export const autoscalerStrategy: Strategy = {
  setDefaults: (object) => {
    const spec = treeAt(object, "spec") ?? {};
    fill(spec, { minReplicas: 1 });
    if (object.apiVersion === "autoscaling/v2" && listAt(spec, "metrics").length === 0) {
      spec["metrics"] = [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
      ];
    }
  },
};

export const leaseStrategy: Strategy = { createsOnUpdate: true, requiresVersion: true };

export const webhooksStrategy: Strategy = {
  hasGeneration: true,
  requiresVersion: true,
  setDefaults: (object) => {
    for (const webhook of listAt(object, "webhooks").filter(isTree)) {
      fill(webhook, {
        failurePolicy: "Fail",
        matchPolicy: "Equivalent",
        namespaceSelector: {},
        objectSelector: {},
        timeoutSeconds: 10,
        ...(object.kind === "MutatingWebhookConfiguration" ? { reinvocationPolicy: "Never" } : {}),
      });
      const service = treeAt(webhook, "clientConfig", "service");
      if (service) fill(service, { port: 443 });
      for (const rule of listAt(webhook, "rules").filter(isTree)) fill(rule, { scope: "*" });
    }
  },
};

export const eventStrategy: Strategy = {
  createsOnUpdate: true,
  fieldNames: [
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
  ],
  fields: (object) => ({
    ...Object.fromEntries(
      ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"].map((part) => [
        `involvedObject.${part}`,
        textAt(object, "involvedObject", part),
      ]),
    ),
    reason: textAt(object, "reason"),
    reportingComponent: textAt(object, "reportingComponent"),
    source: textAt(object, "source", "component") || textAt(object, "reportingComponent"),
    type: textAt(object, "type"),
  }),
};

export const nodeStrategy: Strategy = {
  keepsStatusOnCreate: true,
  setDefaults: (object) => {
    const status = treeAt(object, "status");
    if (status?.["capacity"] !== undefined) fill(status, { allocatable: { ...treeAt(status, "capacity") } });
  },
  prepareForCreate: (object) => {
    const spec = treeAt(object, "spec") ?? {};
    spec["taints"] = [...listAt(spec, "taints"), { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }];
  },
  fieldNames: ["spec.unschedulable"],
  fields: (object) => ({ "spec.unschedulable": String(treeAt(object, "spec")?.["unschedulable"] === true) }),
};
