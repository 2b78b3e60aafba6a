import type { RestoreItemActionV1 } from "@jibe/plugin-sdk/contracts";
import { edited, type Fields, fieldsOf, listOf, setList, textOf } from "../object-fields.ts";
import { priorityClassOf } from "../related-items.ts";

/** Frees a pod from its old node, priority and token volumes, and restores its priority class first. */
export const restorePod: RestoreItemActionV1 = {
  appliesTo: async () => ({ includedResources: ["pods"] }),
  execute: async ({ item }) => ({
    item: edited(item, (pod) => {
      const spec = fieldsOf(pod["spec"]);
      delete spec["nodeName"];
      delete spec["priority"];
      const token = `${textOf(spec["serviceAccountName"])}-token-`;
      dropNamed(spec, "volumes", token);
      for (const container of [...listOf(spec["containers"]), ...listOf(spec["initContainers"])]) {
        dropNamed(container, "volumeMounts", token);
      }
    }),
    additionalItems: priorityClassOf(item),
  }),
};

function dropNamed(target: Fields, key: string, prefix: string): void {
  const entries = listOf(target[key]);
  const kept = entries.filter(({ name }) => !textOf(name).startsWith(prefix));
  if (kept.length < entries.length) setList(target, key, kept);
}
