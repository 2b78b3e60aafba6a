import type { RestoreItemActionV1 } from "@jibe/plugin-sdk/contracts";
import { edited, fieldsOf, removeKeys } from "../object-fields.ts";

const controllerUid: ReadonlySet<string> = new Set(["controller-uid", "batch.kubernetes.io/controller-uid"]);

/** Removes the old job's UID from selector and template: the new job gets one of its own. */
export const restoreJob: RestoreItemActionV1 = {
  appliesTo: async () => ({ includedResources: ["jobs"] }),
  execute: async ({ item }) => ({
    item: edited(item, (job) => {
      const spec = fieldsOf(job["spec"]);
      removeKeys(fieldsOf(spec["selector"]), "matchLabels", (key) => controllerUid.has(key));
      removeKeys(fieldsOf(fieldsOf(spec["template"])["metadata"]), "labels", (key) => controllerUid.has(key));
    }),
  }),
};
