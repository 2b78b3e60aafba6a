import { jsonEquals } from "@jibe/base";
import { type KubeObject, type Tree, textAt, treeAt } from "../api/kube-object.ts";
import { type FieldError, invalid, required } from "../schema/field-error.ts";
import { fill, fillTemplate } from "./pod-spec.ts";
import { podSpecProblems } from "./pod-validation.ts";
import type { Strategy } from "./strategy.ts";

function fillJobSpec(spec: Tree): void {
  fill(spec, {
    parallelism: 1,
    completions: 1,
    backoffLimit: 6,
    completionMode: "NonIndexed",
    suspend: false,
    podReplacementPolicy: "TerminatingOrFailed",
    manualSelector: false,
  });
  fillTemplate(spec, "template");
}

export const jobStrategy: Strategy = {
  hasGeneration: true,
  generationParts: ["spec"],
  setDefaults: (object) => fillJobSpec(treeAt(object, "spec") ?? {}),
  prepareForCreate: labelTemplate,
  validate: jobProblems,
  fieldNames: ["status.successful"],
  fields: (object) => ({ "status.successful": String(treeAt(object, "status")?.["succeeded"] ?? 0) }),
  defaultPropagation: "Background",
};

/** A job's pods are found by labels that no other job has. */
function labelTemplate(object: KubeObject): void {
  const spec = treeAt(object, "spec") ?? {};
  if (spec["manualSelector"] === true) return;
  const uid = object.metadata.uid ?? "";
  const name = object.metadata.name ?? "";
  const labels = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name,
  };
  const template = treeAt(spec, "template") ?? {};
  const metadata = treeAt(template, "metadata") ?? {};
  metadata["labels"] = { ...treeAt(metadata, "labels"), ...labels };
  template["metadata"] = metadata;
  spec["selector"] = { matchLabels: { "batch.kubernetes.io/controller-uid": uid } };
  object.metadata.labels ??= { ...(metadata["labels"] as Record<string, string>) };
}

function jobProblems(object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = treeAt(object, "spec") ?? {};
  const template = treeAt(spec, "template", "spec") ?? {};
  const problems = podSpecProblems(template, "spec.template.spec");
  const policy = textAt(template, "restartPolicy");
  if (policy === "Always") {
    problems.push(required("spec.template.spec.restartPolicy", 'valid values: "OnFailure", "Never"'));
  }
  if (old && !jsonEquals(treeAt(spec, "template"), treeAt(old, "spec", "template"))) {
    problems.push(invalid("spec.template", treeAt(spec, "template"), "field is immutable"));
  }
  if (old && !jsonEquals(spec["completions"], treeAt(old, "spec")?.["completions"])) {
    problems.push(invalid("spec.completions", spec["completions"], "field is immutable"));
  }
  if (old && !jsonEquals(spec["selector"], treeAt(old, "spec")?.["selector"])) {
    problems.push(invalid("spec.selector", spec["selector"], "field is immutable"));
  }
  return problems;
}

export const cronJobStrategy: Strategy = {
  hasGeneration: true,
  generationParts: ["spec"],
  setDefaults: (object) => {
    const spec = treeAt(object, "spec") ?? {};
    fill(spec, {
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    fillTemplate(spec, "jobTemplate", "spec", "template");
  },
  validate: (object) => {
    const schedule = textAt(object, "spec", "schedule");
    if (schedule === "") return [required("spec.schedule")];
    const fields = schedule.trim().split(/\s+/).length;
    if (schedule.startsWith("@") || fields === 5) return [];
    return [
      invalid(
        "spec.schedule",
        schedule,
        `expected exactly 5 fields, found ${fields}: [${schedule.trim().split(/\s+/).join(" ")}]`,
      ),
    ];
  },
  fieldNames: [],
};
