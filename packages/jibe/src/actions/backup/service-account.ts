import type { BackupItemActionV1 } from "@jibe/plugin-sdk/contracts";
import type { ClusterReads } from "../cluster-reads.ts";
import { relatedToServiceAccount } from "../related-to-service-account.ts";

/** Takes along what gives a service account its cluster-wide rights. */
export function backupServiceAccount(reads: ClusterReads): BackupItemActionV1 {
  return {
    appliesTo: async () => ({ includedResources: ["serviceaccounts"] }),
    execute: async (item, _backup, scope) => ({
      item,
      additionalItems: await relatedToServiceAccount(item, reads, scope),
    }),
  };
}
