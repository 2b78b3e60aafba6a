import type { RestoreItemActionV1 } from "@jibe/plugin-sdk/contracts";

/** Leaves out API services that the API server makes itself, for its own groups and for those of definitions. */
export const restoreApiService: RestoreItemActionV1 = {
  appliesTo: async () => ({
    includedResources: ["apiservices"],
    labelSelector: "kube-aggregator.kubernetes.io/automanaged",
  }),
  execute: async ({ item }) => ({ item, skipRestore: true }),
};
