import type { RestoreItemActionV1 } from "@jibe/plugin-sdk/contracts";
import { edited, fieldsOf, listOf } from "../object-fields.ts";

/** Says "keep unknown fields" the way v1 says it: in each version's schema instead of on the whole definition. */
export const restoreCrdPreserveFields: RestoreItemActionV1 = {
  appliesTo: async () => ({ includedResources: ["customresourcedefinitions.apiextensions.k8s.io"] }),
  execute: async ({ item }) => {
    if (item.apiVersion !== "apiextensions.k8s.io/v1") return { item };
    return {
      item: edited(item, (definition) => {
        const spec = fieldsOf(definition["spec"]);
        if (spec["preserveUnknownFields"] !== true) return;
        delete spec["preserveUnknownFields"]; // false is what absence means
        for (const version of listOf(spec["versions"])) {
          const schema = fieldsOf(version["schema"]);
          if (schema["openAPIV3Schema"] === undefined) continue;
          fieldsOf(schema["openAPIV3Schema"])["x-kubernetes-preserve-unknown-fields"] = true;
        }
      }),
    };
  },
};
