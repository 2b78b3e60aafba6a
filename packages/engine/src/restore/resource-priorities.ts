import { AppError } from "@jibe/base";

/** Types that are restored before and after all others, in this order. */
export interface ResourcePriorities {
  readonly high: readonly string[];
  readonly low: readonly string[];
}

export const defaultPriorities: ResourcePriorities = {
  high: [
    "customresourcedefinitions",
    "namespaces",
    "storageclasses",
    "volumesnapshotclass.snapshot.storage.k8s.io",
    "volumesnapshotcontents.snapshot.storage.k8s.io",
    "volumesnapshots.snapshot.storage.k8s.io",
    "datauploads.velero.io",
    "persistentvolumes",
    "persistentvolumeclaims",
    "clusterroles",
    "roles",
    "serviceaccounts",
    "clusterrolebindings",
    "rolebindings",
    "secrets",
    "configmaps",
    "limitranges",
    "priorityclasses",
    "pods",
    // Before the workloads that own them, so that those adopt what was restored instead of making new ones.
    "replicasets.apps",
    "clusterclasses.cluster.x-k8s.io",
    "endpoints",
    "services",
  ],
  low: [
    "clusterbootstraps.run.tanzu.vmware.com",
    "clusters.cluster.x-k8s.io",
    "clusterresourcesets.addons.cluster.x-k8s.io",
    "apps.kappctrl.k14s.io",
    "packageinstalls.packaging.carvel.dev",
  ],
};

/**
 * Reads `--restore-resource-priorities`: a comma list in which a single `-` separates high from low. Without it only the high list is
 * replaced; a list that begins with it replaces only the low one.
 */
export function parsePriorities(text: string, defaults: ResourcePriorities = defaultPriorities): ResourcePriorities {
  if (text.trim() === "") return defaults;
  const entries = text.split(",").map((entry) => entry.trim());
  const separator = entries.indexOf("-");
  if (separator !== entries.lastIndexOf("-")) {
    throw new AppError(
      "InvalidArgument",
      `resource priorities ${JSON.stringify(text)} have more than one separator "-"`,
    );
  }
  if (separator < 0) return { high: entries, low: defaults.low };
  const high = entries.slice(0, separator);
  return { high: high.length === 0 ? defaults.high : high, low: entries.slice(separator + 1) };
}

/** Types that react to or intercept what others create: they come last among the types without priority. */
const interceptingTypes: ReadonlySet<string> = new Set([
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  "validatingwebhookconfigurations.admissionregistration.k8s.io",
  "apiservices.apiregistration.k8s.io",
]);

export interface OrderedWave {
  readonly name: string;
  readonly groupResources: readonly string[];
}

/**
 * The order of types: each entry of the high and of the low list is a wave of its own, all other types are one wave between them, with
 * the types that intercept others after it. Each type comes once, at its first place.
 */
export function orderWaves(
  inBackup: readonly string[],
  { high, low }: ResourcePriorities,
  resolve: (name: string) => string,
): OrderedWave[] {
  const present = new Set(inBackup);
  const taken = new Set<string>();
  const take = (names: readonly string[]) => names.map(resolve).filter((name) => present.has(name) && !taken.has(name));
  const single = (name: string): OrderedWave => {
    taken.add(name);
    return { name, groupResources: [name] };
  };
  const crds = take(["customresourcedefinitions"]).map(single);
  const first = [...new Set(take(high))].map(single);
  const last = [...new Set(take(low))];
  const others = [...present].filter((name) => !taken.has(name) && !last.includes(name)).sort();
  const isIntercepting = (name: string) => interceptingTypes.has(name);
  return [
    ...crds,
    ...first,
    { name: "other types", groupResources: others.filter((name) => !isIntercepting(name)) },
    { name: "webhooks and API services", groupResources: others.filter(isIntercepting) },
    ...last.map(single),
  ].filter(({ groupResources }) => groupResources.length > 0);
}
