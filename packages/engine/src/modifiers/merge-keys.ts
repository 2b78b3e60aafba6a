/** How a list is merged: by a key of its elements, or as a set of scalars. Lists that are not here are replaced whole. */
export type ListMerge = { readonly key: string } | { readonly set: true };

const set: ListMerge = { set: true };
const by = (key: string): ListMerge => ({ key });

/**
 * The mergeable lists of the built-in types. A name with its parent wins over the name alone. It covers the lists that people patch; the
 * API server's own schema would say the same, at the price of a request and a parser for it.
 */
const lists: Readonly<Record<string, ListMerge>> = {
  containers: by("name"),
  initContainers: by("name"),
  ephemeralContainers: by("name"),
  volumes: by("name"),
  env: by("name"),
  volumeMounts: by("mountPath"),
  volumeDevices: by("devicePath"),
  imagePullSecrets: by("name"),
  hostAliases: by("ip"),
  topologySpreadConstraints: by("topologyKey"),
  schedulingGates: by("name"),
  resourceClaims: by("name"),
  readinessGates: by("conditionType"),
  conditions: by("type"),
  ownerReferences: by("uid"),
  finalizers: set,
  webhooks: by("name"),
  "containers/ports": by("containerPort"),
  "initContainers/ports": by("containerPort"),
  "ephemeralContainers/ports": by("containerPort"),
  "spec/ports": by("port"),
  "ServiceAccount/secrets": by("name"),
  "spec/taints": by("key"),
  "status/addresses": by("type"),
};

/** Groups whose types are built in; others have no merge keys, and a strategic patch of them is refused. */
const builtInGroups: ReadonlySet<string> = new Set(
  (
    " apps batch autoscaling policy networking.k8s.io rbac.authorization.k8s.io storage.k8s.io scheduling.k8s.io " +
    "coordination.k8s.io discovery.k8s.io events.k8s.io node.k8s.io certificates.k8s.io admissionregistration.k8s.io " +
    "apiextensions.k8s.io extensions velero.io snapshot.storage.k8s.io"
  ).split(" "),
);

export function hasMergeKeys(apiVersion: string): boolean {
  const slash = apiVersion.indexOf("/");
  return builtInGroups.has(slash < 0 ? "" : apiVersion.slice(0, slash));
}

/** `path` is the names of the fields from the object's root to the list, without indexes. */
export function listMergeOf(kind: string, path: readonly string[]): ListMerge | undefined {
  const name = path.at(-1) ?? "";
  const parent = path.length > 1 ? (path.at(-2) ?? "") : kind;
  if (name === "ports" && parent === "spec" && kind !== "Service") return undefined;
  return lists[`${parent}/${name}`] ?? lists[name];
}
