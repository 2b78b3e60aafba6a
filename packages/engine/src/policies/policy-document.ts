import { type FilterPolicies, readFilterPolicies } from "./filter-policies.ts";
import {
  array,
  fields,
  invalid,
  isObject,
  objectOf,
  optional,
  string,
  stringFields,
  stringList,
  stringMap,
} from "./read-values.ts";

export type VolumeActionType = "skip" | "snapshot" | "fs-backup" | "custom";

export interface VolumePolicyAction {
  readonly type: VolumeActionType;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface IncludeExcludePolicy {
  readonly includedClusterScopedResources: readonly string[];
  readonly excludedClusterScopedResources: readonly string[];
  readonly includedNamespaceScopedResources: readonly string[];
  readonly excludedNamespaceScopedResources: readonly string[];
}

/** The conditions of one volume policy, as written. */
export interface VolumeConditions {
  readonly capacity?: string;
  readonly storageClass?: readonly string[];
  readonly nfs?: { readonly server?: string; readonly path?: string };
  readonly csi?: { readonly driver?: string; readonly volumeAttributes?: Readonly<Record<string, string>> };
  readonly volumeTypes?: readonly string[];
  readonly pvcLabels?: Readonly<Record<string, string>>;
  readonly pvcPhase?: readonly string[];
  readonly pvcVolumeMode?: string;
  readonly pvcAccessModes?: readonly string[];
}

export interface PolicyDocument {
  readonly volumePolicies: readonly { readonly conditions: VolumeConditions; readonly action: VolumePolicyAction }[];
  readonly includeExclude?: IncludeExcludePolicy;
  readonly filters: FilterPolicies;
}

const documentKeys = [
  "version",
  "volumePolicies",
  "includeExcludePolicy",
  "clusterScopedFilterPolicy",
  "namespacedFilterPolicies",
] as const;
const actionTypes: readonly string[] = ["skip", "snapshot", "fs-backup", "custom"] satisfies VolumeActionType[];

/** Checks a policy document's shape strictly: unknown keys and values of the wrong kind fail with `InvalidArgument`. */
export function readPolicyDocument(value: unknown): PolicyDocument {
  const document = fields(value, "resource policies", documentKeys);
  if (document["version"] !== "v1") {
    throw invalid(`incompatible version number ${String(document["version"] ?? "")} with supported version v1`);
  }
  const policies = optional(document["volumePolicies"], (list) => array(list, "volumePolicies")) ?? [];
  const policy = optional(document["includeExcludePolicy"], readIncludeExclude);
  return {
    volumePolicies: policies.map((item, index) => readVolumePolicy(item, `volumePolicies[${index}]`)),
    ...(policy ? { includeExclude: policy } : {}),
    filters: readFilterPolicies(document),
  };
}

function readVolumePolicy(value: unknown, where: string): PolicyDocument["volumePolicies"][number] {
  const policy = fields(value, where, ["conditions", "action"]);
  const action = fields(policy["action"] ?? {}, `${where}.action`, ["type", "parameters"]);
  const type = String(action["type"] ?? "");
  if (!actionTypes.includes(type)) throw invalid(`invalid action type ${type}`);
  return {
    conditions: readConditions(policy["conditions"] ?? {}, `${where}.conditions`),
    action: { type: type as VolumeActionType, parameters: objectOf(action["parameters"] ?? {}, `${where}.parameters`) },
  };
}

function readConditions(value: unknown, where: string): VolumeConditions {
  const reader = conditionReaders(where);
  const given = fields(value, where, Object.keys(reader));
  const entries = Object.entries(given).filter(([, condition]) => condition !== undefined && condition !== null);
  const conditions: VolumeConditions = Object.fromEntries(
    entries.map(([key, condition]) => [key, reader[key as keyof typeof reader](condition)]),
  );
  const { driver, volumeAttributes } = conditions.csi ?? {};
  if (volumeAttributes && !driver) {
    throw invalid("csi driver should not be empty when filtering by volume attributes");
  }
  return conditions;
}

function conditionReaders(where: string) {
  const list = (key: string) => (value: unknown) => stringList(value, `${where}.${key}`);
  return {
    capacity: (value: unknown) => string(value, `${where}.capacity`),
    storageClass: list("storageClass"),
    nfs: (value: unknown) => stringFields(value, `${where}.nfs`, ["server", "path"]),
    csi: (value: unknown) => {
      const { volumeAttributes, ...rest } = fields(value, `${where}.csi`, ["driver", "volumeAttributes"]);
      const attributes = optional(volumeAttributes, (map) => stringMap(map, `${where}.csi.volumeAttributes`));
      return {
        ...stringFields(rest, `${where}.csi`, ["driver"]),
        ...(attributes ? { volumeAttributes: attributes } : {}),
      };
    },
    volumeTypes: list("volumeTypes"),
    pvcLabels: (value: unknown) => {
      if (!isObject(value)) throw invalid("pvcLabels must be a map of string to string");
      return stringMap(value, `${where}.pvcLabels`);
    },
    pvcPhase: list("pvcPhase"),
    pvcVolumeMode: (value: unknown) => string(value, `${where}.pvcVolumeMode`),
    pvcAccessModes: list("pvcAccessModes"),
  };
}

function readIncludeExclude(value: unknown): IncludeExcludePolicy {
  const keys = [
    "includedClusterScopedResources",
    "excludedClusterScopedResources",
    "includedNamespaceScopedResources",
    "excludedNamespaceScopedResources",
  ] as const;
  const policy = fields(value, "includeExcludePolicy", keys);
  const [includedCluster, excludedCluster, includedNamespaced, excludedNamespaced] = keys.map(
    (key) => optional(policy[key], (list) => stringList(list, `includeExcludePolicy.${key}`)) ?? [],
  );
  return {
    includedClusterScopedResources: includedCluster ?? [],
    excludedClusterScopedResources: excludedCluster ?? [],
    includedNamespaceScopedResources: includedNamespaced ?? [],
    excludedNamespaceScopedResources: excludedNamespaced ?? [],
  };
}
