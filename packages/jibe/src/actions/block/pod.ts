import type { ItemBlockAction } from "@jibe/plugin-sdk/contracts";
import { relatedToPod } from "../related-items.ts";

/** Puts a pod in one block with its priority class and claims. */
export const blockPod: ItemBlockAction = {
  appliesTo: async () => ({ includedResources: ["pods"] }),
  getRelatedItems: async (item) => relatedToPod(item),
};
