import { isTree, type KubeObject, listAt, numberOf, type Tree, textAt, treeAt } from "../api/kube-object.ts";
import { fill, fillPodSpec } from "./pod-spec.ts";
import { podProblems, podUpdateProblems } from "./pod-validation.ts";
import { podSpecWarnings } from "./pod-warnings.ts";
import type { Strategy } from "./strategy.ts";

/** Pods: what admission and the kubelet's absence mean for them. */
export const podStrategy: Strategy = {
  hasGeneration: true,
  generationParts: ["spec"],
  setDefaults: (object) => {
    const spec = treeAt(object, "spec");
    if (!spec) return;
    for (const container of [...listAt(spec, "initContainers"), ...listAt(spec, "containers")]) fillRequests(container);
    fillPodSpec(spec);
    fill(spec, { enableServiceLinks: true });
    fillAddresses(object);
  },
  prepareForCreate: (object) => {
    const spec = treeAt(object, "spec") ?? {};
    fill(spec, { priority: 0, preemptionPolicy: "PreemptLowerPriority" });
    spec["tolerations"] = withDefaultTolerations(listAt(spec, "tolerations"));
    object["status"] = { phase: "Pending", qosClass: qosClass(spec) };
  },
  prepareForUpdate: (object, old) => {
    object["status"] = old["status"];
    const spec = treeAt(object, "spec") ?? {};
    spec["tolerations"] = withDefaultTolerations(listAt(spec, "tolerations"));
  },
  prepareForSubresource: (object, old, subresource) => {
    if (subresource === "ephemeralcontainers") return keepAllButEphemeral(object, old);
    if (subresource === "resize") return;
    object["spec"] = old["spec"];
    const status = treeAt(object, "status");
    if (status) fill(status, { qosClass: treeAt(old, "status")?.["qosClass"] });
  },
  statusKeeps: [
    ["metadata", "deletionTimestamp"],
    ["metadata", "ownerReferences"],
  ],
  warnings: (object) => podSpecWarnings(treeAt(object, "spec") ?? {}, "spec"),
  validate: (object, old) => (old ? podUpdateProblems(object, old) : podProblems(object)),
  graceSeconds: (object, asked) => {
    const spec = treeAt(object, "spec") ?? {};
    const wanted = asked ?? numberOf(spec["terminationGracePeriodSeconds"] ?? 30);
    const isOver = ["Succeeded", "Failed"].includes(textAt(object, "status", "phase"));
    return textAt(spec, "nodeName") === "" || isOver ? 0 : wanted;
  },
  returnsDeleted: true,
  fieldNames: [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName",
  ],
  fields: (object) => ({
    "spec.nodeName": textAt(object, "spec", "nodeName"),
    "spec.restartPolicy": textAt(object, "spec", "restartPolicy"),
    "spec.schedulerName": textAt(object, "spec", "schedulerName"),
    "spec.serviceAccountName": textAt(object, "spec", "serviceAccountName"),
    "spec.hostNetwork": String(treeAt(object, "spec")?.["hostNetwork"] === true),
    "status.phase": textAt(object, "status", "phase"),
    "status.podIP": textAt(object, "status", "podIP"),
    "status.nominatedNodeName": textAt(object, "status", "nominatedNodeName"),
  }),
};

function keepAllButEphemeral(object: KubeObject, old: KubeObject): void {
  const added = treeAt(object, "spec")?.["ephemeralContainers"];
  object["spec"] = { ...treeAt(old, "spec"), ...(added === undefined ? {} : { ephemeralContainers: added }) };
  object["status"] = old["status"];
}

/** A limit without a request is also the request. */
function fillRequests(container: unknown): void {
  const resources = treeAt(container, "resources");
  const limits = treeAt(resources, "limits");
  if (resources && limits) resources["requests"] = { ...limits, ...treeAt(resources, "requests") };
}

function fillAddresses(object: KubeObject): void {
  const status = treeAt(object, "status");
  if (!status) return;
  const ip = textAt(status, "podIP");
  if (ip !== "" && listAt(status, "podIPs").length === 0) status["podIPs"] = [{ ip }];
  const hostIp = textAt(status, "hostIP");
  if (hostIp !== "" && listAt(status, "hostIPs").length === 0) status["hostIPs"] = [{ ip: hostIp }];
}

const patience = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].map((key) => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 300,
}));

function withDefaultTolerations(given: readonly unknown[]): unknown[] {
  const covers = (key: string) =>
    given.filter(isTree).some((one) => {
      const forKey = one["key"] === key || (one["key"] === undefined && one["operator"] === "Exists");
      return forKey && (one["effect"] === undefined || one["effect"] === "NoExecute");
    });
  return [...given, ...patience.filter(({ key }) => !covers(key))];
}

/** How badly a pod is missed, by whether all its containers say what they need. */
function qosClass(spec: Tree): string {
  const containers = [...listAt(spec, "containers"), ...listAt(spec, "initContainers")];
  const resources = containers.map((container) => ({
    limits: treeAt(container, "resources", "limits") ?? {},
    requests: treeAt(container, "resources", "requests") ?? {},
  }));
  const counted = (tree: Tree) => ["cpu", "memory"].filter((name) => tree[name] !== undefined && tree[name] !== "0");
  if (resources.every(({ limits, requests }) => counted(limits).length + counted(requests).length === 0))
    return "BestEffort";
  const isGuaranteed = resources.every(
    ({ limits, requests }) =>
      counted(limits).length === 2 && counted(limits).every((name) => limits[name] === requests[name]),
  );
  return isGuaranteed ? "Guaranteed" : "Burstable";
}
