import type { ItemBlockAction } from "@jibe/plugin-sdk/contracts";
import type { ClusterReads } from "../cluster-reads.ts";
import { relatedToServiceAccount } from "../related-to-service-account.ts";

/** Puts a service account in one block with its bindings and roles. */
export function blockServiceAccount(reads: ClusterReads): ItemBlockAction {
  return {
    appliesTo: async () => ({ includedResources: ["serviceaccounts"] }),
    getRelatedItems: (item, _backup, scope) => relatedToServiceAccount(item, reads, scope),
  };
}
