import type { Scope } from "@jibe/base";
import type { Backup, ItemBlockAction, KubernetesObject, ResourceIdentifier } from "@jibe/plugin-sdk/contracts";
import type { ClusterReads } from "../cluster-reads.ts";
import { relatedToClaim } from "../related-items.ts";

/** Puts a bound claim in one block with its volume, the running pods that mount it, and the claims of its volume group. */
export function blockPvc(reads: ClusterReads): ItemBlockAction {
  return {
    appliesTo: async () => ({ includedResources: ["persistentvolumeclaims"] }),
    getRelatedItems: async (claim, backup, scope) => {
      const volume = relatedToClaim(claim);
      if (volume.length === 0) return [];
      const { namespace = "", name } = claim.metadata;
      const pods = (await reads.podsByClaim(namespace, scope)).get(name) ?? [];
      return [
        ...volume,
        ...pods.map((pod) => ({ groupResource: "pods", namespace, name: pod })),
        ...(await claimsOfGroup(claim, { backup, reads }, scope)),
      ];
    },
  };
}

async function claimsOfGroup(
  { metadata: { namespace = "", name, labels = {} } }: KubernetesObject,
  { backup, reads }: { readonly backup: Backup; readonly reads: ClusterReads },
  scope: Scope,
): Promise<ResourceIdentifier[]> {
  const key = backup.spec.volumeGroupSnapshotLabelKey ?? "";
  const value = labels[key] ?? "";
  if (key === "" || value === "") return [];
  const claims = await reads.claimsLabelled({ namespace, key, value }, scope);
  return claims
    .filter((claim) => claim !== name)
    .map((claim) => ({ groupResource: "persistentvolumeclaims", namespace, name: claim }));
}
