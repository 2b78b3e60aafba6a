import { jsonEquals, type LabelSelector, matchesLabels } from "@jibe/base";
import { isTree, type KubeObject, listAt, textAt, treeAt } from "../api/kube-object.ts";
import { type FieldError, invalid, notSupported, required } from "../schema/field-error.ts";
import { podSpecProblems } from "./pod-validation.ts";

/** How pods are replaced, where the type lets one choose. */
function strategyProblems(object: KubeObject): FieldError[] {
  const strategy = treeAt(object, "spec", "strategy");
  const types = ["Recreate", "RollingUpdate"];
  if (object.kind !== "Deployment" || !strategy || types.includes(String(strategy["type"]))) return [];
  return [notSupported("spec.strategy", strategy, types)];
}

/** What is wrong with a workload: its selector, its template, and that the one selects the other. */
export function templateProblems(object: KubeObject, old: KubeObject | undefined): FieldError[] {
  const spec = treeAt(object, "spec") ?? {};
  const selector = treeAt(spec, "selector");
  const labels = (treeAt(spec, "template", "metadata", "labels") ?? {}) as Record<string, string>;
  const problems: FieldError[] = [];
  if (!selector) problems.push(required("spec.selector"));
  else if (Object.keys(selector).length === 0) {
    problems.push(invalid("spec.selector", selector, "empty selector is invalid for deployment"));
  }
  const replicas = spec["replicas"];
  if (typeof replicas === "number" && replicas < 0) {
    problems.push(invalid("spec.replicas", replicas, "must be greater than or equal to 0"));
  }
  const isSelected = selector !== undefined && matchesLabels(selector as LabelSelector, labels);
  if (!isSelected) {
    const shown = Object.keys(labels).length === 0 ? null : labels;
    problems.push(invalid("spec.template.metadata.labels", shown, "`selector` does not match template `labels`"));
  }
  const template = treeAt(spec, "template", "spec") ?? {};
  const claims = listAt(spec, "volumeClaimTemplates").filter(isTree);
  const claimNames = claims.map((claim) => textAt(treeAt(claim, "metadata") ?? {}, "name"));
  problems.push(...podSpecProblems(template, "spec.template.spec", claimNames));
  if (template["restartPolicy"] !== "Always" && problems.every(({ field }) => !field.endsWith("restartPolicy"))) {
    problems.push(notSupported("spec.template.spec.restartPolicy", template["restartPolicy"], ["Always"]));
  }
  problems.push(...strategyProblems(object));
  if (old && !jsonEquals(selector, treeAt(old, "spec", "selector"))) {
    problems.push(invalid("spec.selector", selector, "field is immutable"));
  }
  return problems;
}
