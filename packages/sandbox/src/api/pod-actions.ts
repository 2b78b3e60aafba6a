import { conflict } from "./api-error.ts";
import type { ApiContext, Target, WriteOptions } from "./context.ts";
import { findEntry } from "./create-object.ts";
import { isTree, type KubeObject, listAt, type Tree, textAt, timeText, treeAt } from "./kube-object.ts";
import { liveObject } from "./update-object.ts";

export const created: Tree = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };

/** Puts a pod on a node, as the scheduler does. */
export function bindPod(context: ApiContext, target: Target, binding: Tree, options: WriteOptions): Tree {
  const entry = findEntry(context, target);
  const pod = liveObject(target, entry);
  const spec = treeAt(pod, "spec") ?? {};
  const node = textAt(binding, "target", "name");
  const current = textAt(spec, "nodeName");
  if (current !== "") {
    throw conflict(
      { group: "", plural: "pods/binding" },
      target.name,
      `pod ${target.name} is already assigned to node ${JSON.stringify(current)}`,
    );
  }
  spec["nodeName"] = node;
  pod["spec"] = spec;
  setCondition(context, pod);
  if (!options.dryRun) context.store.commit(target.type.bucket, pod);
  return created;
}

function setCondition(context: ApiContext, pod: KubeObject): void {
  const status = treeAt(pod, "status") ?? {};
  const others = listAt(status, "conditions").filter((one) => isTree(one) && one["type"] !== "PodScheduled");
  const scheduled = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: timeText(context.clock.now()),
  };
  status["conditions"] = [...others, scheduled];
  pod["status"] = status;
}
