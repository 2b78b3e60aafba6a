import { jsonEquals } from "@jibe/base";
import { isTree, type KubeObject, listAt, type Tree, textAt, treeAt } from "../api/kube-object.ts";
import { pathSegmentProblems } from "../api/validate-metadata.ts";
import { type FieldError, forbidden, invalid, required } from "../schema/field-error.ts";
import { fill } from "./pod-spec.ts";
import type { Strategy } from "./strategy.ts";

const rbacGroup = "rbac.authorization.k8s.io";

/** Keys of config maps and secrets become file names. */
function keyProblems(data: Tree | undefined, field: string): FieldError[] {
  return Object.keys(data ?? {})
    .filter((key) => !/^[-._a-zA-Z0-9]+$/.test(key))
    .map((key) =>
      invalid(
        `${field}[${key}]`,
        key,
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
      ),
    );
}

/** Objects marked immutable keep their data and the mark. */
function immutableProblems(object: KubeObject, old: KubeObject | undefined, fields: readonly string[]): FieldError[] {
  if (old?.["immutable"] !== true) return [];
  const text = "field is immutable when `immutable` is set";
  return [
    ...(object["immutable"] === true ? [] : [forbidden("immutable", text)]),
    ...fields.filter((field) => !jsonEquals(object[field], old[field])).map((field) => forbidden(field, text)),
  ];
}

export const configMapStrategy: Strategy = {
  validate: (object, old) => [
    ...keyProblems(treeAt(object, "data"), "data"),
    ...keyProblems(treeAt(object, "binaryData"), "binaryData"),
    ...immutableProblems(object, old, ["data", "binaryData"]),
  ],
};

export const secretStrategy: Strategy = {
  setDefaults: (object) => {
    const text = treeAt(object, "stringData");
    if (text) {
      const encoded = Object.entries(text).map(([key, value]) => [key, Buffer.from(String(value)).toString("base64")]);
      object["data"] = { ...treeAt(object, "data"), ...Object.fromEntries(encoded) };
      delete object["stringData"];
    }
    fill(object, { type: "Opaque" });
  },
  validate: (object, old) => [
    ...keyProblems(treeAt(object, "data"), "data"),
    ...(old && old["type"] !== object["type"] ? [invalid("type", object["type"], "field is immutable")] : []),
    ...immutableProblems(object, old, ["data"]),
    ...secretTypeProblems(object),
  ],
  fieldNames: ["type"],
  fields: (object) => ({ type: textAt(object, "type") }),
};

const neededKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
};

const accountName = "kubernetes.io/service-account.name";

function secretTypeProblems(object: KubeObject): FieldError[] {
  if (textAt(object, "type") === "kubernetes.io/service-account-token" && !object.metadata.annotations?.[accountName]) {
    return [required(`metadata.annotations[${accountName}]`)];
  }
  const data = treeAt(object, "data") ?? {};
  return (neededKeys[textAt(object, "type")] ?? [])
    .filter((key) => !(key in data))
    .map((key) => required(`data[${key}]`));
}

export const serviceAccountStrategy: Strategy = { returnsDeleted: true };

const rbac: Strategy = { validateName: pathSegmentProblems, createsOnUpdate: true };

export const roleStrategy: Strategy = rbac;

export const bindingStrategy: Strategy = {
  ...rbac,
  setDefaults: (object) => {
    const role = treeAt(object, "roleRef");
    if (role && !textAt(role, "apiGroup")) role["apiGroup"] = rbacGroup;
    for (const subject of listAt(object, "subjects").filter(isTree)) {
      if (subject["kind"] === "User" || subject["kind"] === "Group") fill(subject, { apiGroup: rbacGroup });
      if (subject["kind"] === "ServiceAccount") fill(subject, { apiGroup: "" });
      if (subject["apiGroup"] === "") delete subject["apiGroup"];
    }
  },
  validate: (object, old) => {
    if (old && !jsonEquals(object["roleRef"], old["roleRef"]))
      return [invalid("roleRef", object["roleRef"], "cannot change roleRef")];
    return textAt(object, "roleRef", "name") === "" ? [required("roleRef.name")] : [];
  },
};

export const ingressStrategy: Strategy = { hasGeneration: true, generationParts: ["spec"] };
export const ingressClassStrategy: Strategy = { hasGeneration: true, generationParts: ["spec"] };

export const networkPolicyStrategy: Strategy = {
  hasGeneration: true,
  generationParts: ["spec"],
  setDefaults: (object) => {
    const spec = treeAt(object, "spec") ?? {};
    fill(spec, { podSelector: {}, policyTypes: ["Ingress", ...(listAt(spec, "egress").length > 0 ? ["Egress"] : [])] });
    for (const rule of [...listAt(spec, "ingress"), ...listAt(spec, "egress")]) {
      for (const port of listAt(rule, "ports").filter(isTree)) fill(port, { protocol: "TCP" });
    }
  },
};

export const endpointsStrategy: Strategy = {
  warnings: () => ["v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"],
  createsOnUpdate: true,
  setDefaults: (object) => {
    for (const subset of listAt(object, "subsets")) {
      for (const port of listAt(subset, "ports").filter(isTree)) fill(port, { protocol: "TCP" });
    }
  },
};

export const endpointSliceStrategy: Strategy = {
  hasGeneration: true,
  setDefaults: (object) => {
    for (const port of listAt(object, "ports").filter(isTree)) fill(port, { name: "", protocol: "TCP" });
  },
};

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
