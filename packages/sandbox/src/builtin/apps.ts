import { jsonEquals } from "@jibe/base";
import { isTree, listAt, type Tree, treeAt } from "../api/kube-object.ts";
import { forbidden } from "../schema/field-error.ts";
import { fill, fillTemplate } from "./pod-spec.ts";
import { podSpecWarnings } from "./pod-warnings.ts";
import { fillClaimSpec } from "./storage.ts";
import type { Strategy } from "./strategy.ts";
import { templateProblems } from "./template-validation.ts";

const specOf = (object: unknown): Tree => treeAt(object, "spec") ?? {};

/** What all workloads of the apps group share: a generation, a pod template and a selector that must fit it. */
const workload: Strategy = {
  hasGeneration: true,
  generationParts: ["spec"],
  validate: templateProblems,
  // What did not change was warned about when it came.
  warnings: (object, old) =>
    old && old.metadata.generation === object.metadata.generation
      ? []
      : podSpecWarnings(treeAt(object, "spec", "template", "spec") ?? {}, "spec.template.spec"),
};

export const deploymentStrategy: Strategy = {
  ...workload,
  statusKeeps: [["metadata", "labels"]],
  countsAnnotations: true,
  setDefaults: (object) => {
    const spec = specOf(object);
    fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600, strategy: {} });
    const strategy = treeAt(spec, "strategy") ?? {};
    fill(strategy, { type: "RollingUpdate" });
    if (strategy["type"] === "RollingUpdate") {
      strategy["rollingUpdate"] = { maxUnavailable: "25%", maxSurge: "25%", ...treeAt(strategy, "rollingUpdate") };
    }
    fillTemplate(spec, "template");
  },
};

export const replicaSetStrategy: Strategy = {
  ...workload,
  setDefaults: (object) => {
    fill(specOf(object), { replicas: 1 });
    fillTemplate(object, "spec", "template");
  },
  fieldNames: ["status.replicas"],
  fields: (object) => ({ "status.replicas": String(treeAt(object, "status")?.["replicas"] ?? 0) }),
};

const statefulSetText =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
const statefulSetFixed = ["serviceName", "selector", "volumeClaimTemplates", "podManagementPolicy"];

export const statefulSetStrategy: Strategy = {
  ...workload,
  validate: (object, old) => {
    const [spec, before] = [specOf(object), specOf(old)];
    const isFixed = !old || statefulSetFixed.every((field) => jsonEquals(spec[field], before[field]));
    return [...templateProblems(object, undefined), ...(isFixed ? [] : [forbidden("spec", statefulSetText)])];
  },
  setDefaults: (object) => {
    const spec = specOf(object);
    fill(spec, { replicas: 1, revisionHistoryLimit: 10, podManagementPolicy: "OrderedReady", updateStrategy: {} });
    const strategy = treeAt(spec, "updateStrategy") ?? {};
    fill(strategy, { type: "RollingUpdate" });
    if (strategy["type"] === "RollingUpdate")
      strategy["rollingUpdate"] = { partition: 0, ...treeAt(strategy, "rollingUpdate") };
    spec["persistentVolumeClaimRetentionPolicy"] = {
      whenDeleted: "Retain",
      whenScaled: "Retain",
      ...treeAt(spec, "persistentVolumeClaimRetentionPolicy"),
    };
    for (const claim of listAt(spec, "volumeClaimTemplates").filter(isTree)) {
      fill(claim, { apiVersion: "v1", kind: "PersistentVolumeClaim" });
      fillClaimSpec(claim);
      claim["status"] = { phase: "Pending", ...treeAt(claim, "status") };
    }
    fillTemplate(spec, "template");
  },
};

const templateGeneration = "deprecated.daemonset.template.generation";

export const daemonSetStrategy: Strategy = {
  ...workload,
  setDefaults: (object) => {
    const spec = specOf(object);
    object.metadata.annotations = { [templateGeneration]: "1", ...object.metadata.annotations };
    fill(spec, { revisionHistoryLimit: 10, updateStrategy: {} });
    const strategy = treeAt(spec, "updateStrategy") ?? {};
    fill(strategy, { type: "RollingUpdate" });
    if (strategy["type"] === "RollingUpdate") {
      strategy["rollingUpdate"] = { maxUnavailable: 1, maxSurge: 0, ...treeAt(strategy, "rollingUpdate") };
    }
    fillTemplate(spec, "template");
  },
  prepareForUpdate: (object, old) => {
    const before = old.metadata.annotations?.[templateGeneration] ?? "1";
    const isSame = jsonEquals(treeAt(object, "spec", "template"), treeAt(old, "spec", "template"));
    object.metadata.annotations = {
      ...object.metadata.annotations,
      [templateGeneration]: isSame ? before : String(Number(before) + 1),
    };
  },
};

export const replicationControllerStrategy: Strategy = {
  hasGeneration: true,
  generationParts: ["spec"],
  setDefaults: (object) => {
    const spec = specOf(object);
    fill(spec, { replicas: 1 });
    const labels = treeAt(spec, "template", "metadata", "labels");
    if (labels) fill(spec, { selector: { ...labels } });
    fillTemplate(spec, "template");
  },
};
