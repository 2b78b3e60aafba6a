import type { AppError } from "@jibe/base";
import { apiVersionOf, type Discovery, groupResourceOf, type ResourceType } from "../src/ports/cluster.ts";

const allVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** A type, from the least that tells it: `resourceType("apps/v1", "Deployment", { shortNames: ["deploy"] })`. */
export function resourceType(apiVersion: string, kind: string, more: Partial<ResourceType> = {}): ResourceType {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["", apiVersion];
  const singular = kind.toLowerCase();
  return {
    group: group ?? "",
    version: version ?? "",
    resource: pluralOf(singular),
    kind,
    namespaced: true,
    verbs: allVerbs,
    shortNames: [],
    singular,
    subresources: [],
    ...more,
  };
}

function pluralOf(singular: string): string {
  if (/(s|x|ch)$/.test(singular)) return `${singular}es`;
  return singular.endsWith("y") ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}

const cluster = { namespaced: false };

/** What most tests need of a cluster. */
export const commonTypes: readonly ResourceType[] = [
  resourceType("v1", "Namespace", { ...cluster, shortNames: ["ns"] }),
  resourceType("v1", "ConfigMap", { shortNames: ["cm"] }),
  resourceType("v1", "Secret"),
  resourceType("v1", "Service", { shortNames: ["svc"] }),
  resourceType("v1", "ServiceAccount", { shortNames: ["sa"] }),
  resourceType("v1", "Event", { shortNames: ["ev"] }),
  resourceType("v1", "PersistentVolume", { ...cluster, shortNames: ["pv"] }),
  resourceType("v1", "PersistentVolumeClaim", { shortNames: ["pvc"] }),
  resourceType("v1", "Pod", { shortNames: ["po"], subresources: ["exec", "status"] }),
  resourceType("v1", "Node", { ...cluster, shortNames: ["no"] }),
  resourceType("apps/v1", "Deployment", { shortNames: ["deploy"], subresources: ["status", "scale"] }),
  resourceType("apps/v1", "ReplicaSet", { shortNames: ["rs"] }),
  resourceType("apiextensions.k8s.io/v1", "CustomResourceDefinition", { ...cluster, shortNames: ["crd"] }),
  resourceType("rbac.authorization.k8s.io/v1", "ClusterRole", cluster),
  resourceType("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", cluster),
  resourceType("scheduling.k8s.io/v1", "PriorityClass", { ...cluster, shortNames: ["pc"] }),
  resourceType("storage.k8s.io/v1", "StorageClass", { ...cluster, shortNames: ["sc"] }),
];

export interface FailedGroup {
  readonly group: string;
  readonly version: string;
  readonly error: AppError;
}

/** Discovery over a list of types; of each group the version named first is the preferred one. */
export function discoveryOf(types: readonly ResourceType[], failures: readonly FailedGroup[] = []): Discovery {
  const names = [...new Set(types.map(({ group }) => group))];
  const groups = names.map((name) => {
    const versions = [...new Set(types.filter(({ group }) => group === name).map(({ version }) => version))];
    return { name, preferredVersion: versions[0] ?? "", versions };
  });
  const preferred = [...new Map(types.toReversed().map((type) => [groupResourceOf(type), type])).values()].reverse();
  const byName = new Map<string, ResourceType>();
  const add = (name: string, type: ResourceType) => void (byName.has(name) || byName.set(name, type));
  for (const type of preferred) {
    for (const name of [type.resource, type.singular, type.kind.toLowerCase(), ...type.shortNames]) {
      add(name, type);
      add(groupResourceOf({ group: type.group, resource: name }), type);
    }
  }
  return {
    groups,
    resources: types,
    failures,
    preferred: () => preferred,
    find: (name) => byName.get(name.toLowerCase()),
  };
}

export function typeKey(type: ResourceType): string {
  return `${apiVersionOf(type)}/${type.kind}`;
}
