import type { Tree } from "../api/kube-object.ts";
import type { GroupVersions, Registry } from "../registry/registry.ts";
import { apiVersionOf, type ResourceType } from "../registry/resource-type.ts";

/** `/api` */
export const apiVersions = (address: string): Tree => ({
  kind: "APIVersions",
  versions: ["v1"],
  serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: address }],
});

/** `/apis` */
export const groupList = (registry: Registry): Tree => ({
  kind: "APIGroupList",
  apiVersion: "v1",
  groups: namedGroups(registry).map(groupEntry),
});

/** `/apis/GROUP`; undefined when nothing of it is served. */
export function groupDocument(registry: Registry, group: string): Tree | undefined {
  const found = namedGroups(registry).find((known) => known.group === group);
  return found && { kind: "APIGroup", apiVersion: "v1", ...groupEntry(found) };
}

/** `/api/v1` and `/apis/GROUP/VERSION`; undefined when it is not served. */
export function resourceList(registry: Registry, group: string, version: string): Tree | undefined {
  const types = registry
    .groups()
    .find((known) => known.group === group)
    ?.versions.find((one) => one.version === version)?.types;
  return (
    types && {
      kind: "APIResourceList",
      ...(group === "" ? {} : { apiVersion: "v1" }),
      groupVersion: apiVersionOf({ group, version }),
      resources: types.flatMap(resourceEntries),
    }
  );
}

/** `/api` and `/apis` in the aggregated form that clients ask for first. */
export function aggregated(registry: Registry, isCore: boolean): Tree {
  const groups = registry.groups().filter(({ group }) => (group === "") === isCore);
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map(({ group, versions }) => ({
      metadata: group === "" ? {} : { name: group },
      versions: versions.map(({ version, types }) => ({
        version,
        resources: types.map(aggregatedResource),
        freshness: "Current",
      })),
    })),
  };
}

/** What a request must accept to get the aggregated form. */
export const aggregatedMediaType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

const namedGroups = (registry: Registry) => registry.groups().filter(({ group }) => group !== "");

function groupEntry({ group, versions }: GroupVersions): Tree {
  const entries = versions.map(({ version }) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: entries, preferredVersion: entries[0] };
}

function resourceEntries(type: ResourceType): Tree[] {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories, storageVersionHash, subresources } = type;
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs,
      ...(shortNames ? { shortNames } : {}),
      ...(categories ? { categories } : {}),
      ...(storageVersionHash ? { storageVersionHash } : {}),
    },
    ...subresources.map((sub) => ({
      name: `${plural}/${sub.name}`,
      singularName: "",
      namespaced,
      ...(sub.version === undefined ? {} : { group: sub.group, version: sub.version }),
      kind: sub.kind,
      verbs: sub.verbs,
    })),
  ];
}

function aggregatedResource(type: ResourceType): Tree {
  const { plural, singular, kind, namespaced, verbs, shortNames, categories, subresources } = type;
  const own = type.custom ? { group: type.group, version: type.version } : { group: "", version: "" };
  return {
    resource: plural,
    responseKind: { ...own, kind },
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs,
    ...(shortNames ? { shortNames } : {}),
    ...(categories ? { categories } : {}),
    ...(subresources.length === 0
      ? {}
      : {
          subresources: subresources.map((sub) => ({
            subresource: sub.name,
            responseKind: {
              ...own,
              ...(sub.version === undefined ? {} : { group: sub.group, version: sub.version }),
              kind: sub.kind,
            },
            verbs: sub.verbs,
          })),
        }),
  };
}
