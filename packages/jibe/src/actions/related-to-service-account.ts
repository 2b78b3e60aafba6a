import type { Scope } from "@jibe/base";
import type { KubernetesObject, ResourceIdentifier } from "@jibe/plugin-sdk/contracts";
import type { ClusterReads } from "./cluster-reads.ts";

/** The cluster role bindings that name a service account, and their cluster roles: without them a restored account may do nothing. */
export async function relatedToServiceAccount(
  { metadata: { namespace = "", name } }: KubernetesObject,
  reads: ClusterReads,
  scope: Scope,
): Promise<ResourceIdentifier[]> {
  const { bindings = [], roles = [] } = (await reads.rights(scope)).get(`${namespace}/${name}`) ?? {};
  return [
    ...bindings.map((binding) => ({ groupResource: "clusterrolebindings.rbac.authorization.k8s.io", name: binding })),
    ...roles.map((role) => ({ groupResource: "clusterroles.rbac.authorization.k8s.io", name: role })),
  ];
}
