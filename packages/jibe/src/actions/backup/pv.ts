import { labelValueFrom } from "@jibe/engine";
import type { Backup, BackupItemActionV1, KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { edited, type Fields, fieldsOf, removeKeys } from "../object-fields.ts";
import { relatedToClaim } from "../related-items.ts";

/** Takes a bound claim's volume along, and removes from the claim what would tie it to an earlier restore or snapshot. */
export const backupPv: BackupItemActionV1 = {
  appliesTo: async () => ({ includedResources: ["persistentvolumeclaims"] }),
  execute: async (item, backup) => {
    const additionalItems = relatedToClaim(item);
    if (additionalItems.length === 0) return { item };
    return { item: edited(item, (claim) => cleanClaim(claim, backup)), additionalItems };
  },
};

function cleanClaim(claim: KubernetesObject, backup: Backup): void {
  const spec = fieldsOf(claim["spec"]);
  delete spec["dataSource"];
  delete spec["dataSourceRef"];
  // An empty class means a volume made by hand, which the claim finds by its selector alone.
  if (spec["storageClassName"] !== "") delete spec["selector"];
  removeKeys(fieldsOf(spec["selector"]), "matchLabels", (key) => key.startsWith("velero.io/"));
  removeKeys(claim.metadata as Fields, "labels", (key, value) => isStale(key, value, backup.metadata.name));
}

function isStale(key: string, value: unknown, backup: string): boolean {
  switch (key) {
    case "velero.io/restore-name":
    case "velero.io/volume-snapshot-name":
    case "backup.velero.io/must-include-additional-items":
      return true;
    case "velero.io/backup-name":
      return value !== backup && value !== labelValueFrom(backup);
    default:
      return false;
  }
}
