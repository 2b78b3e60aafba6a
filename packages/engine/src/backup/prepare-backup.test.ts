import { AppError } from "@jibe/base";
import type { BackupSpec } from "@jibe/plugin-sdk/contracts";
import { describe, expect, test } from "vitest";
import { backup } from "../../test/builders.ts";
import { backupDefaults, type PrepareBackupInput, prepareBackup } from "./prepare-backup.ts";

const available = { name: "default", phase: "Available" };
const failure = { error: new AppError("Unavailable", "connection refused") };

function prepare(spec: BackupSpec, more: Partial<PrepareBackupInput> = {}) {
  return prepareBackup({
    backup: backup("b1", spec),
    now: new Date("2026-01-02T03:04:05.678Z"),
    defaults: backupDefaults,
    storageLocations: { value: [available] },
    snapshotLocations: { value: [] },
    excludedNamespaces: { value: [] },
    clusterVersion: { gitVersion: "v1.36.3", major: "1", minor: "36" },
    parseYaml: JSON.parse,
    ...more,
  });
}

test("a bare backup gets Velero's defaults and goes on", () => {
  const prepared = prepare({});
  expect(prepared.validationErrors).toEqual([]);
  expect(prepared.backup).toEqual({
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: {
      name: "b1",
      namespace: "velero",
      uid: "uid-of-b1",
      labels: { "velero.io/storage-location": "default" },
      annotations: {
        "velero.io/source-cluster-k8s-gitversion": "v1.36.3",
        "velero.io/source-cluster-k8s-major-version": "1",
        "velero.io/source-cluster-k8s-minor-version": "36",
        "velero.io/resource-timeout": "10m0s",
      },
    },
    spec: {
      ttl: "720h0m0s",
      volumeGroupSnapshotLabelKey: "velero.io/volume-group",
      csiSnapshotTimeout: "10m0s",
      itemOperationTimeout: "4h0m0s",
      defaultVolumesToFsBackup: false,
      snapshotMoveData: false,
      storageLocation: "default",
      excludedClusterScopedResources: ["volumesnapshotcontents.snapshot.storage.k8s.io"],
      excludedNamespaceScopedResources: ["volumesnapshots.snapshot.storage.k8s.io"],
      includedNamespaces: ["*"],
    },
    status: {
      version: 1,
      formatVersion: "1.1.0",
      expiration: "2026-02-01T03:04:05Z",
      phase: "InProgress",
      startTimestamp: "2026-01-02T03:04:05Z",
    },
  });
});

describe("defaults", () => {
  test("do not overwrite what the spec says", () => {
    const { spec } = prepare({ ttl: "1h", itemOperationTimeout: "5m", csiSnapshotTimeout: "0s" }).backup;
    expect(spec).toMatchObject({ ttl: "1h", itemOperationTimeout: "5m", csiSnapshotTimeout: "10m0s" });
  });

  test("map the old restic flag, with a warning", () => {
    const { backup: prepared, warnings } = prepare({ defaultVolumesToRestic: true });
    expect(prepared.spec.defaultVolumesToFsBackup).toBe(true);
    expect(warnings).toHaveLength(1);
  });

  test("exclude labelled namespaces and snapshot types, and drop includes that are excluded", () => {
    const snapshots = "volumesnapshots.snapshot.storage.k8s.io";
    const { spec } = prepare(
      { includedResources: ["pods", snapshots], excludedNamespaces: ["x"] },
      { excludedNamespaces: { value: ["hidden"] } },
    ).backup;
    expect(spec.includedResources).toEqual(["pods"]);
    expect(spec.excludedResources).toEqual([snapshots, "volumesnapshotcontents.snapshot.storage.k8s.io"]);
    expect(spec.excludedNamespaces).toEqual(["x", "hidden"]);
  });

  test("prefer the location that is marked as default", () => {
    const value = [available, { name: "best", phase: "Available", default: true }];
    expect(prepare({}, { storageLocations: { value } }).backup.spec.storageLocation).toBe("best");
  });

  test("choose one snapshot location per provider", () => {
    const value = [
      { name: "aws-1", provider: "aws" },
      { name: "aws-2", provider: "aws" },
      { name: "gcp-1", provider: "gcp" },
      { name: "azure-1", provider: "azure" },
      { name: "azure-2", provider: "azure" },
    ];
    const defaults = { ...backupDefaults, volumeSnapshotLocations: { azure: "azure-2" } };
    const prepared = prepare({ volumeSnapshotLocations: ["aws-2"] }, { snapshotLocations: { value }, defaults });
    expect(prepared.validationErrors).toEqual([]);
    expect(prepared.snapshotLocations).toEqual(["aws-2", "gcp-1", "azure-2"]);
    expect(prepared.backup.spec.volumeSnapshotLocations).toEqual(["aws-2", "gcp-1", "azure-2"]);
  });

  test("shorten a long location name in the label", () => {
    const name = "n".repeat(70);
    const value = [{ name, phase: "Available" }];
    const { metadata } = prepare({ storageLocation: name }, { storageLocations: { value } }).backup;
    expect(metadata.labels?.["velero.io/storage-location"]).toHaveLength(63);
  });
});

const oneProvider = {
  value: [
    { name: "one", provider: "aws" },
    { name: "two", provider: "aws" },
  ],
};
const policyAt = (data: unknown) => ({
  value: { namespace: "velero", name: "p", data: { p: JSON.stringify(data) } },
});
const refused: Record<string, { spec?: BackupSpec; more?: Partial<PrepareBackupInput>; want: string }> = {
  "a location that the server's default names and nobody has": {
    more: { storageLocations: { value: [] } },
    want: "the server default default does not exist",
  },
  "a location that the spec names and nobody has": {
    spec: { storageLocation: "gone" },
    want: "the default gone was not found",
  },
  "locations that cannot be read": {
    more: { storageLocations: failure },
    want: "error getting backup storage location: connection refused",
  },
  "a read-only location": {
    more: { storageLocations: { value: [{ ...available, accessMode: "ReadOnly" }] } },
    want: "backup can't be created because backup storage location default is currently in read-only mode",
  },
  "a location that is not available": {
    more: { storageLocations: { value: [{ name: "default", phase: "Unavailable" }] } },
    want: "backup can't be created because BackupStorageLocation default is in Unavailable status.",
  },
  "a location of no phase yet": {
    more: { storageLocations: { value: [{ name: "default" }] } },
    want: "backup can't be created because BackupStorageLocation default is in Unavailable status.",
  },
  "a snapshot location that nobody has": {
    spec: { volumeSnapshotLocations: ["gone"] },
    want: "a VolumeSnapshotLocation CRD for the location gone with the name specified in the backup spec needs to be created",
  },
  "two snapshot locations of one provider": {
    spec: { volumeSnapshotLocations: ["one", "two"] },
    more: { snapshotLocations: oneProvider },
    want: "more than one VolumeSnapshotLocation name specified for provider aws: two; unexpected name was one",
  },
  "a provider with several locations and none chosen": {
    more: { snapshotLocations: oneProvider },
    want: "provider aws has more than one possible volume snapshot location, and none were specified explicitly or as a default",
  },
  "a default snapshot location that nobody has": {
    more: {
      snapshotLocations: oneProvider,
      defaults: { ...backupDefaults, volumeSnapshotLocations: { aws: "gone" } },
    },
    want: "error getting volume snapshot location named gone",
  },
  "a snapshot location without its credentials": {
    more: { snapshotLocations: { value: [{ name: "one", provider: "aws", withoutCredentials: "no such secret" }] } },
    want: "error adding credentials to volume snapshot location named one: no such secret",
  },
  "snapshot locations that cannot be read": {
    more: { snapshotLocations: failure },
    want: "error listing volume snapshot locations: connection refused",
  },
  "namespaces that cannot be listed": {
    more: { excludedNamespaces: failure },
    want: "error getting namespace list: connection refused",
  },
  "old and new filters together": {
    spec: { includedResources: ["pods"], includedClusterScopedResources: ["crd"] },
    want: "They cannot be used together",
  },
  "a star beside other resources": {
    spec: { includedResources: ["*", "pods"] },
    want: "Invalid included/excluded resource lists: includes list must either contain '*' only, or a non-empty list of items",
  },
  "a star among excluded resources": {
    spec: { excludedResources: ["*"] },
    want: "Invalid included/excluded resource lists: excludes list cannot contain '*'",
  },
  "a resource in both lists": {
    spec: { includedResources: ["pods"], excludedResources: ["pods"] },
    want: "Invalid included/excluded resource lists: excludes list cannot contain an item in the includes list: pods",
  },
  "everything of a scope excluded and something included": {
    spec: { includedClusterScopedResources: ["crd"], excludedClusterScopedResources: ["*"] },
    want: "Invalid cluster-scoped included/excluded resource lists: when exclude is '*', include cannot have value",
  },
  "a star beside others in a namespaced scope": {
    spec: { excludedNamespaceScopedResources: ["*", "pods"] },
    want: "Invalid namespace-scoped included/excluded resource lists: excludes list must either contain '*' only",
  },
  "a namespace in both lists, also when its label excludes it": {
    spec: { includedNamespaces: ["hidden"] },
    more: { excludedNamespaces: { value: ["hidden"] } },
    want: "Invalid included/excluded namespace lists: excludes list cannot contain an item in the includes list: hidden",
  },
  "a namespace name that cannot be": {
    spec: { includedNamespaces: ["Not_A_Name"] },
    want: 'Invalid included/excluded namespace lists: invalid namespace "Not_A_Name"',
  },
  "a namespace pattern that cannot be": {
    spec: { includedNamespaces: ["a**"] },
    want: "Invalid included/excluded namespace lists: wildcard pattern contains consecutive asterisks",
  },
  "two kinds of selectors": {
    spec: { labelSelector: {}, orLabelSelectors: [{}] },
    want: "encountered labelSelector as well as orLabelSelectors in backup spec, only one can be specified",
  },
  "a policy that is not there": {
    spec: { resourcePolicy: { kind: "configmap", name: "p" } },
    more: { policyConfigMap: failure },
    want: "invalid resource policies: fail to get ResourcePolicies velero/p ConfigMap: connection refused",
  },
  "a policy that cannot be": {
    more: { policyConfigMap: policyAt({ version: "v2" }) },
    want: 'invalid resource policies: fail to validate ResourcePolicies in ConfigMap velero/b1: "p": incompatible version',
  },
  "a policy of lists beside old filters": {
    spec: { includedResources: ["pods"] },
    more: { policyConfigMap: policyAt({ version: "v1", includeExcludePolicy: {} }) },
    want: "They cannot be used with include-exclude policies.",
  },
  "filter policies beside old filters": {
    spec: { includeClusterResources: true },
    more: {
      policyConfigMap: policyAt({
        version: "v1",
        clusterScopedFilterPolicy: { resourceFilters: [{ kinds: ["StorageClass"] }] },
      }),
    },
    want: "They cannot be used with namespace-scoped or fine-grained global filter policies.",
  },
  "a time to live that is no duration": { spec: { ttl: "a month" }, want: 'spec.ttl: invalid duration "a month"' },
};
describe("a backup is refused for", () => {
  for (const [name, { spec = {}, more = {}, want }] of Object.entries(refused)) {
    test(name, () => {
      const { backup: prepared, validationErrors } = prepare(spec, more);
      expect(validationErrors).toHaveLength(1);
      expect(validationErrors[0]).toContain(want);
      expect(prepared.status).toMatchObject({ phase: "FailedValidation", validationErrors });
      expect(prepared.status?.startTimestamp).toBeUndefined();
    });
  }

  test("everything that is wrong at once", () => {
    const spec = { storageLocation: "gone", includedResources: ["*", "pods"], includedNamespaces: ["UPPER"] };
    expect(prepare(spec).validationErrors).toHaveLength(3);
  });
});
