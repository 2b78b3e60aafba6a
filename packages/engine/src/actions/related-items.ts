import type { KubernetesObject, ResourceIdentifier } from "@jibe/plugin-sdk/contracts";
import { type PodVolume, record, text } from "../policies/volume-facts.ts";

/** What a pod needs to run again: its priority class and its claims. */
export function relatedToPod(pod: KubernetesObject): ResourceIdentifier[] {
  const spec = record(pod["spec"]);
  const priorityClass = text(spec["priorityClassName"]);
  return [
    ...(priorityClass === "" ? [] : [{ groupResource: "priorityclasses.scheduling.k8s.io", name: priorityClass }]),
    ...claimNamesOf(pod).map((name) => ({
      groupResource: "persistentvolumeclaims",
      namespace: pod.metadata.namespace ?? "",
      name,
    })),
  ];
}

/** The claims that a pod's volumes name. */
export function claimNamesOf(pod: KubernetesObject): string[] {
  const volumes = (record(pod["spec"])["volumes"] ?? []) as readonly PodVolume[];
  return volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName || []);
}

/** The volume of a bound claim; nothing for any other. */
export function relatedToClaim(claim: KubernetesObject): ResourceIdentifier[] {
  const name = boundVolumeName(claim);
  return name === "" ? [] : [{ groupResource: "persistentvolumes", name }];
}

/** Empty unless the claim is bound. */
export function boundVolumeName(claim: KubernetesObject): string {
  const bound = text(record(claim["status"])["phase"]) === "Bound";
  return bound ? text(record(claim["spec"])["volumeName"]) : "";
}

/** A cluster role binding, as far as it matters here. */
export interface RoleBinding {
  readonly name: string;
  readonly roleName: string;
  /** `namespace/name` of the service accounts it is for. */
  readonly serviceAccounts: ReadonlySet<string>;
}

export function roleBindingFrom(binding: KubernetesObject): RoleBinding {
  const subjects = (binding["subjects"] ?? []) as readonly { kind?: string; namespace?: string; name?: string }[];
  return {
    name: binding.metadata.name,
    roleName: text(record(binding["roleRef"])["name"]),
    serviceAccounts: new Set(
      subjects.filter(({ kind }) => kind === "ServiceAccount").map(({ namespace, name }) => `${namespace}/${name}`),
    ),
  };
}

/** The cluster-wide rights of a service account: bindings first, then their roles. */
export function relatedToServiceAccount(
  { metadata: { namespace, name } }: KubernetesObject,
  bindings: readonly RoleBinding[],
): ResourceIdentifier[] {
  const own = bindings.filter(({ serviceAccounts }) => serviceAccounts.has(`${namespace}/${name}`));
  const roles = new Set(own.map(({ roleName }) => roleName));
  return [
    ...own.map((binding) => ({ groupResource: "clusterrolebindings.rbac.authorization.k8s.io", name: binding.name })),
    ...[...roles].map((role) => ({ groupResource: "clusterroles.rbac.authorization.k8s.io", name: role })),
  ];
}
