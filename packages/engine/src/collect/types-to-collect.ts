import { apiVersionOf, type Discovery, groupResourceOf, type ResourceType } from "../ports/cluster.ts";
import type { ResourceRules } from "./resource-rules.ts";

/** A type whose items are collected, in one version. */
export interface CollectedType {
  readonly type: ResourceType;
  readonly groupResource: string;
  /** `v1/Pod`, `apps/v1/Deployment`. */
  readonly resourceKey: string;
  /** Whether it is the version the API server prefers; its items are stored under both paths. */
  readonly preferred: boolean;
  /** How many versions of the type are collected. */
  readonly versions: number;
}

// Kubernetes serves these under two groups; whichever comes first is taken.
const cohabiting: Readonly<Record<string, readonly string[]>> = {
  deployments: ["extensions", "apps"],
  daemonsets: ["extensions", "apps"],
  replicasets: ["extensions", "apps"],
  networkpolicies: ["extensions", "networking.k8s.io"],
  events: ["", "events.k8s.io"],
};

const neededVerbs = ["list", "create", "get", "delete"];
const coreOrder = ["pods", "persistentvolumeclaims", "persistentvolumes"];

/** Types that can be backed up and restored at all, in the order of collection: by group, volumes and their users first. */
export function backupTypes(discovery: Discovery, { allVersions }: { readonly allVersions: boolean }): CollectedType[] {
  const preferred = new Map(discovery.preferred().map((type) => [groupResourceOf(type), type.version]));
  const types = (allVersions ? discovery.resources : discovery.preferred()).filter((type) =>
    neededVerbs.every((verb) => type.verbs.includes(verb)),
  );
  const groups = discovery.groups.map(({ name }) => name);
  const place = ({ group, resource }: ResourceType) => [
    group === "extensions" ? groups.length : groups.indexOf(group),
    group === "" ? (coreOrder.indexOf(resource) + coreOrder.length + 1) % (coreOrder.length + 1) : 0,
  ];
  return types
    .map((type) => {
      const groupResource = groupResourceOf(type);
      const versions = types.filter((other) => groupResourceOf(other) === groupResource).length;
      return collectedType(type, { preferred: preferred.get(groupResource) === type.version, versions });
    })
    .sort((a, b) => comparePlaces(place(a.type), place(b.type)));
}

/** A type in the version the API server prefers; `undefined` when it is not served. */
export function preferredType(discovery: Discovery, groupResource: string): CollectedType | undefined {
  const type = discovery.find(groupResource);
  return type && collectedType(type, { preferred: true, versions: 1 });
}

function collectedType(type: ResourceType, more: Pick<CollectedType, "preferred" | "versions">): CollectedType {
  return {
    type,
    groupResource: groupResourceOf(type),
    resourceKey: `${apiVersionOf(type)}/${type.kind}`,
    ...more,
  };
}

function comparePlaces([groupA = 0, typeA = 0]: number[], [groupB = 0, typeB = 0]: number[]): number {
  return groupA - groupB || typeA - typeB;
}

/** The types a backup collects: included by its rules, and of two groups with the same objects only the first. */
export function typesToCollect(types: readonly CollectedType[], rules: ResourceRules): CollectedType[] {
  const seen = new Map<string, string>();
  return types.filter(({ type }) => {
    if (!rules.includes(type)) return false;
    if (!cohabiting[type.resource]?.includes(type.group)) return true;
    const first = seen.get(type.resource);
    if (first === undefined) seen.set(type.resource, `${type.group}/${type.version}`);
    return first === undefined || first === `${type.group}/${type.version}`;
  });
}
