import type { RestoreItemActionV1 } from "@jibe/plugin-sdk/contracts";
import { edited, type Fields, removeKeys } from "../object-fields.ts";
import { relatedToClaim } from "../related-items.ts";

const stale: ReadonlySet<string> = new Set([
  "pv.kubernetes.io/bind-completed",
  "pv.kubernetes.io/bound-by-controller",
  "volume.kubernetes.io/storage-provisioner",
  "volume.beta.kubernetes.io/storage-provisioner",
  "volume.kubernetes.io/selected-node",
  "velero.io/volume-snapshot-name",
  "velero.io/data-upload-name",
]);

/** Lets a claim be bound and provisioned anew, and restores the volume it was bound to first. */
export const restorePvc: RestoreItemActionV1 = {
  appliesTo: async () => ({ includedResources: ["persistentvolumeclaims"] }),
  execute: async ({ item, itemFromBackup }) => ({
    item: edited(item, (claim) => removeKeys(claim.metadata as Fields, "annotations", (key) => stale.has(key))),
    // Only the backup's copy still has the status that says whether the claim was bound.
    additionalItems: relatedToClaim(itemFromBackup),
  }),
};
