import type { RestoreItemActionV1 } from "@jibe/plugin-sdk/contracts";
import type { ClusterReads } from "../cluster-reads.ts";
import { edited, type Fields, removeKeys } from "../object-fields.ts";

/**
 * Tokens of service accounts belong to the cluster that made them. One that was made automatically is left out; one that a person
 * asked for is restored empty, and the cluster fills it.
 */
export function restoreSecret(reads: ClusterReads): RestoreItemActionV1 {
  return {
    appliesTo: async () => ({ includedResources: ["secrets"] }),
    execute: async ({ item }, scope) => {
      if (item["type"] !== "kubernetes.io/service-account-token") return { item };
      const { namespace = "", name } = item.metadata;
      const accounts = await reads.serviceAccounts(namespace, scope);
      if (accounts.some((account) => name.startsWith(`${account}-token-`))) return { item, skipRestore: true };
      return {
        item: edited(item, (secret) => {
          removeKeys(secret.metadata as Fields, "annotations", (key) => key === "kubernetes.io/service-account.uid");
          removeKeys(secret as Fields, "data", (key) => key === "token" || key === "ca.crt");
        }),
      };
    },
  };
}
