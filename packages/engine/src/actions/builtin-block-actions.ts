import type { Scope } from "@jibe/base";
import type { Backup, KubernetesObject, ResourceIdentifier } from "@jibe/plugin-sdk/contracts";
import type { Cluster } from "../ports/cluster.ts";
import type { BlockAction } from "../ports/plugins.ts";
import { ClusterFacts } from "./cluster-facts.ts";
import { boundVolumeName, relatedToClaim, relatedToPod, relatedToServiceAccount } from "./related-items.ts";

/** The item block actions that are part of the server, in the order of execution. Make them anew for each run. */
export function builtinBlockActions({ cluster }: { readonly cluster: Cluster }): BlockAction[] {
  const facts = new ClusterFacts(cluster);
  return [
    builtin("velero.io/pod", "pods", async (pod) => relatedToPod(pod)),
    builtin("velero.io/pvc", "persistentvolumeclaims", (claim, backup, scope) =>
      relatedToSharedClaim({ claim, backup, facts }, scope),
    ),
    builtin("velero.io/service-account", "serviceaccounts", async (account, _backup, scope) =>
      relatedToServiceAccount(account, await facts.roleBindings(scope)),
    ),
  ];
}

function builtin(
  name: string,
  resource: string,
  related: (item: KubernetesObject, backup: Backup, scope: Scope) => Promise<readonly ResourceIdentifier[]>,
): BlockAction {
  return {
    name,
    appliesTo: async () => ({ includedResources: [resource] }),
    getRelatedItems: (body, backup, scope) => related(body.object, backup, scope),
  };
}

/** Pods that mount a claim together, and claims of one volume group, belong in one block: their hooks must cover one snapshot. */
async function relatedToSharedClaim(
  { claim, backup, facts }: { claim: KubernetesObject; backup: Backup; facts: ClusterFacts },
  scope: Scope,
): Promise<readonly ResourceIdentifier[]> {
  if (boundVolumeName(claim) === "") return [];
  const { namespace = "", name, labels = {} } = claim.metadata;
  const pods = (await facts.podsByClaim(namespace, scope)).get(name) ?? [];
  const groupKey = backup.spec.volumeGroupSnapshotLabelKey ?? "";
  const group = labels[groupKey] ?? "";
  const grouped =
    groupKey === "" || group === ""
      ? []
      : await facts.claimsWithLabel({ namespace, key: groupKey, value: group }, scope);
  return [
    ...relatedToClaim(claim),
    ...pods.map((pod) => ({ groupResource: "pods", namespace, name: pod })),
    ...grouped
      .filter((other) => other !== name)
      .map((other) => ({ groupResource: "persistentvolumeclaims", namespace, name: other })),
  ];
}
