import type { RestoreItemActionV1 } from "@jibe/plugin-sdk/contracts";
import { edited, listOf, textOf } from "../object-fields.ts";

/** Lets bindings follow their subjects into other namespaces. */
function remapSubjects(resource: string): RestoreItemActionV1 {
  return {
    appliesTo: async () => ({ includedResources: [resource] }),
    execute: async ({ item, restore }) => {
      const mapping = restore.spec.namespaceMapping ?? {};
      return {
        item: edited(item, (binding) => {
          for (const subject of listOf(binding["subjects"])) {
            const namespace = textOf(subject["namespace"]);
            if (Object.hasOwn(mapping, namespace)) subject["namespace"] = mapping[namespace];
          }
        }),
      };
    },
  };
}

export const restoreRoleBindings = remapSubjects("rolebindings");
export const restoreClusterRoleBindings = remapSubjects("clusterrolebindings");
