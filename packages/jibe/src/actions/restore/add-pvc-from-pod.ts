import type { RestoreItemActionV1 } from "@jibe/plugin-sdk/contracts";
import { claimItemsOf } from "../related-items.ts";

/** Restores a pod's claims before the pod. */
export const addPvcFromPod: RestoreItemActionV1 = {
  appliesTo: async () => ({ includedResources: ["pods"] }),
  execute: async ({ item }) => ({ item, additionalItems: claimItemsOf(item) }),
};
