import { formatGoDuration, messageOf, parseGoDuration } from "@jibe/base";
import type { Backup, BackupSpec } from "@jibe/plugin-sdk/contracts";
import { archiveFormatVersion } from "../archive/index.ts";
import { usesOldFilters } from "../collect/resource-rules.ts";
import { kubernetesTime } from "../layout/go-json.ts";
import { labelValueFrom } from "../layout/label-value.ts";
import type { ResourcePolicies } from "../policies/resource-policies.ts";
import { checkFilters } from "./check-filters.ts";
import { type StorageLocationFacts, storageLocationErrors } from "./check-storage-location.ts";
import { chooseSnapshotLocations, type SnapshotLocationFacts } from "./choose-snapshot-locations.ts";
import type { Read } from "./read.ts";
import { type PolicySources, readPolicies } from "./read-policies.ts";

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
  /** Name of the ConfigMap in the server's namespace whose volume policies hold for every backup. */
  readonly volumePoliciesConfigMap?: string;
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

export interface PrepareBackupInput extends PolicySources {
  readonly now: Date;
  readonly defaults: BackupDefaults;
  /** All locations of the backup's namespace. */
  readonly storageLocations: Read<readonly StorageLocationFacts[]>;
  readonly snapshotLocations: Read<readonly SnapshotLocationFacts[]>;
  /** Names of the namespaces that carry the exclude label. */
  readonly excludedNamespaces: Read<readonly string[]>;
  readonly clusterVersion: { readonly gitVersion: string; readonly major: string; readonly minor: string };
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

/** Where a backup says which ConfigMap's volume policies it was made with, beside its own. */
export const globalPoliciesAnnotation = "velero.io/global-backup-volume-policy-configmap";

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
    ...(policy.policies?.filters && usesOldFilters(backup.spec) ? [oldFiltersWithFilterPolicy] : []),
  ];
  const prepared = preparedBackup(backup, filters.spec, { errors, now, input });
  return {
    backup: prepared,
    validationErrors: errors,
    snapshotLocations: snapshots.names,
    ...(policy.policies ? { policies: policy.policies } : {}),
    warnings: [...(backup.spec.defaultVolumesToRestic === true ? [resticWarning] : []), ...policy.warnings],
  };
}

const oldFilters =
  "include-resources, exclude-resources and include-cluster-resources are old filter parameters.\nThey cannot be used with";
const oldFiltersWithPolicy = `${oldFilters} include-exclude policies.`;
const oldFiltersWithFilterPolicy = `${oldFilters} namespace-scoped or fine-grained global filter policies.`;

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
        ...(input.globalPolicies ? { [globalPoliciesAnnotation]: input.globalPolicies.name } : {}),
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
