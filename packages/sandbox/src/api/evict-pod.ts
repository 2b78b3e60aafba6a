import { type LabelSelector, matchesLabels } from "@jibe/base";
import { type Entry, objectOf } from "../storage/entry.ts";
import { ApiError } from "./api-error.ts";
import type { ApiContext, Target, WriteOptions } from "./context.ts";
import { findEntry } from "./create-object.ts";
import { deleteObject } from "./delete-object.ts";
import { isTree, type KubeObject, listAt, type Tree, textAt, timeText, treeAt } from "./kube-object.ts";
import { created } from "./pod-actions.ts";

const budgets = "poddisruptionbudgets.policy";

/** Deletes a pod by way of eviction, which the disruption budget of the pod must allow. */
export function evictPod(context: ApiContext, target: Target, eviction: Tree, options: WriteOptions): Tree {
  const entry = findEntry(context, { ...target, subresource: "" });
  const pod = objectOf(entry);
  if (!isBeyondBudgets(pod)) takeFromBudget(context, entry, pod, options);
  const grace = treeAt(eviction, "deleteOptions")?.["gracePeriodSeconds"];
  deleteObject(
    context,
    { ...target, subresource: "" },
    { dryRun: options.dryRun, gracePeriodSeconds: typeof grace === "number" ? grace : undefined },
  );
  return created;
}

/** A pod that does not run, or no longer, disrupts nobody. */
const isBeyondBudgets = (pod: KubeObject) =>
  pod.metadata.deletionTimestamp !== undefined ||
  ["Pending", "Succeeded", "Failed"].includes(textAt(pod, "status", "phase"));

function takeFromBudget(context: ApiContext, entry: Entry, pod: KubeObject, { dryRun }: WriteOptions): void {
  const found = context.store
    .list(budgets, entry.namespace)
    .map(objectOf)
    .filter((budget) => selects(budget, entry));
  const [budget] = found;
  if (found.length > 1) {
    const text = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    throw new ApiError(500, "", text);
  }
  if (!budget || isUnhealthyBesides(budget, pod)) return;
  const status = treeAt(budget, "status") ?? {};
  const allowed = numberIn(status, "disruptionsAllowed");
  if (numberIn(status, "observedGeneration") < (budget.metadata.generation ?? 0)) {
    const text = `The disruption budget ${budget.metadata.name} is still being processed by the server.`;
    throw tooManyRequests(text, { retryAfterSeconds: 10 });
  }
  if (allowed === 0) {
    const healthy = [numberIn(status, "desiredHealthy"), numberIn(status, "currentHealthy")];
    throw tooManyRequests(
      `The disruption budget ${budget.metadata.name} needs ${healthy[0]} healthy pods and has ${healthy[1]} currently`,
    );
  }
  const disruptedPods = { ...treeAt(status, "disruptedPods"), [entry.name]: timeText(context.clock.now()) };
  budget["status"] = { ...status, disruptionsAllowed: allowed - 1, disruptedPods };
  if (!dryRun) context.store.commit(budgets, budget);
}

const selects = (budget: KubeObject, { labels = {} }: Entry) => {
  const selector = treeAt(budget, "spec", "selector");
  return selector !== undefined && matchesLabels(selector as LabelSelector, labels);
};

/** A pod that is not ready may go while enough others are. */
function isUnhealthyBesides(budget: KubeObject, pod: KubeObject): boolean {
  const isReady = listAt(pod, "status", "conditions").some(
    (condition) => isTree(condition) && condition["type"] === "Ready" && condition["status"] === "True",
  );
  if (isReady) return false;
  if (textAt(budget, "spec", "unhealthyPodEvictionPolicy") === "AlwaysAllow") return true;
  const status = treeAt(budget, "status") ?? {};
  const wanted = numberIn(status, "desiredHealthy");
  return wanted > 0 && numberIn(status, "currentHealthy") >= wanted;
}

const numberIn = (tree: Tree, key: string) => Number(tree[key] ?? 0);

const tooManyRequests = (cause: string, retry: { readonly retryAfterSeconds?: number } = {}) =>
  new ApiError(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: "DisruptionBudget", message: cause }],
    ...retry,
  });
