import type { RestoreItemActionV1 } from "@jibe/plugin-sdk/contracts";
import { edited, listOf } from "../object-fields.ts";

/** Replaces side effects that v1 no longer allows, so that configurations made as v1beta1 can be restored. */
export const restoreAdmissionWebhookConfiguration: RestoreItemActionV1 = {
  appliesTo: async () => ({
    includedResources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
  }),
  execute: async ({ item }) => {
    if (item.apiVersion !== "admissionregistration.k8s.io/v1") return { item };
    return {
      item: edited(item, (configuration) => {
        for (const webhook of listOf(configuration["webhooks"])) {
          const { sideEffects } = webhook;
          if (sideEffects !== "None" && sideEffects !== "NoneOnDryRun") webhook["sideEffects"] = "None";
        }
      }),
    };
  },
};
