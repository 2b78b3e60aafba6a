import { formatGoDuration, messageOf, parseGoDuration } from "@jibe/base";
import type { Backup, BackupSpec } from "@jibe/plugin-sdk/contracts";
import { archiveFormatVersion } from "../archive/index.ts";
import { usesOldFilters } from "../collect/resource-rules.ts";
import { kubernetesTime } from "../layout/go-json.ts";
import { labelValueFrom } from "../layout/label-value.ts";
import { type PolicyConfigMap, type ResourcePolicies, resourcePoliciesFrom } from "../policies/resource-policies.ts";
import { checkFilters } from "./check-filters.ts";
import { type StorageLocationFacts, storageLocationErrors } from "./check-storage-location.ts";
import { chooseSnapshotLocations, type SnapshotLocationFacts } from "./choose-snapshot-locations.ts";
import type { Read } from "./read.ts";

/** The server's settings for what a spec leaves open. Durations are Go text. */
export interface BackupDefaults {
  readonly ttl: string;
  readonly volumeGroupSnapshotLabelKey: string;
  readonly csiSnapshotTimeout: string;
  readonly itemOperationTimeout: string;
  readonly resourceTimeout: string;
  readonly volumesToFsBackup: boolean;
  readonly snapshotMoveData: boolean;
  readonly storageLocation: string;
  /** By provider. */
  readonly volumeSnapshotLocations: Readonly<Record<string, string>>;
}

/** Velero's. */
export const backupDefaults: BackupDefaults = {
  ttl: "720h0m0s",
  volumeGroupSnapshotLabelKey: "velero.io/volume-group",
  csiSnapshotTimeout: "10m0s",
  itemOperationTimeout: "4h0m0s",
  resourceTimeout: "10m0s",
  volumesToFsBackup: false,
  snapshotMoveData: false,
  storageLocation: "default",
  volumeSnapshotLocations: {},
};

export interface PrepareBackupInput {
  readonly backup: Backup;
  readonly now: Date;
  readonly defaults: BackupDefaults;
  /** All locations of the backup's namespace. */
  readonly storageLocations: Read<readonly StorageLocationFacts[]>;
  readonly snapshotLocations: Read<readonly SnapshotLocationFacts[]>;
  /** Names of the namespaces that carry the exclude label. */
  readonly excludedNamespaces: Read<readonly string[]>;
  readonly clusterVersion: { readonly gitVersion: string; readonly major: string; readonly minor: string };
  /** The ConfigMap that `spec.resourcePolicy` names; absent when it names none. */
  readonly policyConfigMap?: Read<PolicyConfigMap> | undefined;
  readonly parseYaml: (text: string) => unknown;
}

export interface PreparedBackup {
  /** With defaults, labels, annotations and the status of the next phase: InProgress or FailedValidation. */
  readonly backup: Backup;
  readonly validationErrors: readonly string[];
  /** The names in `spec.volumeSnapshotLocations`, one per provider. */
  readonly snapshotLocations: readonly string[];
  readonly policies?: ResourcePolicies;
  /** For the server's log. */
  readonly warnings: readonly string[];
}

/** Fills in what a Backup leaves open and finds everything that is wrong with it. */
export function prepareBackup(input: PrepareBackupInput): PreparedBackup {
  const { backup, now, defaults } = input;
  const location = storageLocationErrors(backup.spec.storageLocation ?? "", {
    locations: input.storageLocations,
    serverDefault: defaults.storageLocation,
  });
  const snapshots = chooseSnapshotLocations(backup.spec.volumeSnapshotLocations ?? [], {
    locations: input.snapshotLocations,
    defaults: defaults.volumeSnapshotLocations,
  });
  const { excludedNamespaces } = input;
  const defaulted = specDefaults(backup.spec, defaults);
  const withDefaults: BackupSpec = {
    ...defaulted.spec,
    storageLocation: location.name,
    ...(snapshots.errors.length > 0 ? {} : { volumeSnapshotLocations: [...snapshots.names] }),
    excludedNamespaces: [
      ...(backup.spec.excludedNamespaces ?? []),
      ...("value" in excludedNamespaces ? excludedNamespaces.value : []),
    ],
  };
  const filters = checkFilters(withDefaults);
  const policy = readPolicies(input);
  const errors = [
    ...defaulted.errors,
    ...location.errors,
    ...snapshots.errors,
    ...("error" in excludedNamespaces ? [`error getting namespace list: ${messageOf(excludedNamespaces.error)}`] : []),
    ...filters.errors,
    ...policy.errors,
    ...(policy.policies?.includeExclude && usesOldFilters(backup.spec) ? [oldFiltersWithPolicy] : []),
  ];
  const prepared = preparedBackup(backup, filters.spec, { errors, now, input });
  return {
    backup: prepared,
    validationErrors: errors,
    snapshotLocations: snapshots.names,
    ...(policy.policies ? { policies: policy.policies } : {}),
    warnings: backup.spec.defaultVolumesToRestic === true ? [resticWarning] : [],
  };
}

const oldFiltersWithPolicy =
  "include-resources, exclude-resources and include-cluster-resources are old filter parameters.\n" +
  "They cannot be used with include-exclude policies.";

const resticWarning =
  "DefaultVolumesToRestic field will be deprecated, use DefaultVolumesToFsBackup instead. Automatically remap it to " +
  "DefaultVolumesToFsBackup";

function specDefaults(spec: BackupSpec, defaults: BackupDefaults): { spec: BackupSpec; errors: string[] } {
  const errors: string[] = [];
  const duration = (key: "ttl" | "csiSnapshotTimeout" | "itemOperationTimeout") => {
    try {
      const text = spec[key] ?? "";
      return text === "" || parseGoDuration(text) === 0 ? defaults[key] : text;
    } catch (error) {
      errors.push(`spec.${key}: ${messageOf(error)}`);
      return defaults[key];
    }
  };
  const volumesToFsBackup = spec.defaultVolumesToFsBackup ?? defaults.volumesToFsBackup;
  const withDefaults = {
    ...spec,
    ttl: duration("ttl"),
    volumeGroupSnapshotLabelKey: spec.volumeGroupSnapshotLabelKey || defaults.volumeGroupSnapshotLabelKey,
    csiSnapshotTimeout: duration("csiSnapshotTimeout"),
    itemOperationTimeout: duration("itemOperationTimeout"),
    defaultVolumesToFsBackup: spec.defaultVolumesToRestic === true ? true : volumesToFsBackup,
    snapshotMoveData: spec.snapshotMoveData ?? defaults.snapshotMoveData,
  };
  return { spec: withDefaults, errors };
}

function readPolicies({ backup, policyConfigMap, parseYaml }: PrepareBackupInput): {
  readonly policies?: ResourcePolicies;
  readonly errors: readonly string[];
} {
  if (!policyConfigMap) return { errors: [] };
  const namespace = backup.metadata.namespace ?? "";
  if ("error" in policyConfigMap) {
    const name = `${namespace}/${backup.spec.resourcePolicy?.name}`;
    const text = `fail to get ResourcePolicies ${name} ConfigMap: ${messageOf(policyConfigMap.error)}`;
    return { errors: [`invalid resource policies: ${text}`] };
  }
  try {
    return { policies: resourcePoliciesFrom(policyConfigMap.value, parseYaml), errors: [] };
  } catch (error) {
    // Velero names the backup where it means the ConfigMap; tools look for its text, so ours has both
    const name = `${namespace}/${backup.metadata.name}`;
    const why = `${JSON.stringify(policyConfigMap.value.name)}: ${messageOf(error)}`;
    const text = `fail to read the ResourcePolicies from ConfigMap ${name}: ${why}`;
    return { errors: [`invalid resource policies: ${text}`] };
  }
}

function preparedBackup(
  backup: Backup,
  spec: BackupSpec,
  { errors, now, input }: { errors: readonly string[]; now: Date; input: PrepareBackupInput },
): Backup {
  const { gitVersion, major, minor } = input.clusterVersion;
  const ttlMs = parseGoDuration(spec.ttl ?? "0s");
  const next =
    errors.length > 0
      ? { phase: "FailedValidation" as const, validationErrors: [...errors] }
      : { phase: "InProgress" as const, startTimestamp: kubernetesTime(now) };
  return {
    ...backup,
    metadata: {
      ...backup.metadata,
      labels: {
        ...backup.metadata.labels,
        "velero.io/storage-location": labelValueFrom(spec.storageLocation ?? ""),
      },
      annotations: {
        ...backup.metadata.annotations,
        "velero.io/source-cluster-k8s-gitversion": gitVersion,
        "velero.io/source-cluster-k8s-major-version": major,
        "velero.io/source-cluster-k8s-minor-version": minor,
        "velero.io/resource-timeout": formatGoDuration(parseGoDuration(input.defaults.resourceTimeout)),
      },
    },
    spec,
    status: {
      ...backup.status,
      version: 1,
      formatVersion: archiveFormatVersion,
      expiration: kubernetesTime(new Date(now.getTime() + ttlMs)),
      ...next,
    },
  };
}
