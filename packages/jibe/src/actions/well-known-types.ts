import type { ResourceType } from "@jibe/engine";

const always = { verbs: ["get", "list"], shortNames: [], subresources: [] } as const;

function wellKnown(group: string, resource: string, rest: { readonly kind: string; readonly namespaced: boolean }) {
  return {
    ...always,
    ...rest,
    group,
    version: "v1",
    resource,
    singular: rest.kind.toLowerCase(),
  } satisfies ResourceType;
}

/** Types that every API server of today serves in this version, so that nobody has to look them up. */
export const wellKnownTypes = {
  configMaps: wellKnown("", "configmaps", { kind: "ConfigMap", namespaced: true }),
  serviceAccounts: wellKnown("", "serviceaccounts", { kind: "ServiceAccount", namespaced: true }),
  pods: wellKnown("", "pods", { kind: "Pod", namespaced: true }),
  claims: wellKnown("", "persistentvolumeclaims", { kind: "PersistentVolumeClaim", namespaced: true }),
  storageClasses: wellKnown("storage.k8s.io", "storageclasses", { kind: "StorageClass", namespaced: false }),
  clusterRoleBindings: wellKnown("rbac.authorization.k8s.io", "clusterrolebindings", {
    kind: "ClusterRoleBinding",
    namespaced: false,
  }),
} as const;
