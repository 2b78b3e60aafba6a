import type { BackupItemActionV1 } from "@jibe/plugin-sdk/contracts";
import { relatedToPod } from "../related-items.ts";

/** Takes a pod's priority class and claims along. */
export const backupPod: BackupItemActionV1 = {
  appliesTo: async () => ({ includedResources: ["pods"] }),
  execute: async (item) => ({ item, additionalItems: relatedToPod(item) }),
};
