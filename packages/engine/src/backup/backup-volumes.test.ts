import { AppError } from "@jibe/base";
import type { BackupSpec, KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { describe, expect, test } from "vitest";
import { type BackupSetup, backUp } from "../../test/backup-harness.ts";
import { backup, claim, namespace, pod, volume } from "../../test/builders.ts";
import { memoryPlugins, snapshotter } from "../../test/memory-plugins.ts";
import { volumeBackupActions, volumeBlockActions } from "../../test/volume-actions.ts";
import { resourcePoliciesFrom } from "../policies/resource-policies.ts";
import type { Snapshotter } from "../ports/plugins.ts";

const locations = [{ name: "default", provider: "example", config: { region: "here" } }];
const csi = { csi: { driver: "csi.example.io", volumeHandle: "h" } };

interface VolumeSetup {
  readonly objects?: readonly KubernetesObject[];
  readonly spec?: BackupSpec;
  readonly taker?: Partial<Snapshotter>;
  readonly policies?: object;
  readonly features?: readonly string[];
  readonly more?: Partial<BackupSetup>;
}

function run({ objects, spec = {}, taker, policies, features = [], more = {} }: VolumeSetup) {
  const snapshotters = taker ? { example: snapshotter("example.io/disk", taker) } : {};
  const plugins = memoryPlugins({ backup: volumeBackupActions(), block: volumeBlockActions(), snapshotters });
  const data = { policy: JSON.stringify({ version: "v1", volumePolicies: [], ...policies }) };
  return backUp({
    objects: objects ?? [
      namespace("a"),
      pod("a/web", { claims: ["data"] }),
      claim("a/data", "pv-1"),
      volume("pv-1", "a/data"),
    ],
    plugins,
    spec,
    options: { features },
    ports: { snapshotLocations: taker ? locations : [] },
    ...(policies ? { policies: resourcePoliciesFrom({ namespace: "velero", name: "p", data }, JSON.parse) } : {}),
    ...more,
  });
}

type Info = { pvName: string; skipped: boolean; skippedReason?: string; backupMethod?: string; result?: string };

describe("native snapshots", () => {
  test("are taken with zone and tags, and listed in both files", async () => {
    const taken: unknown[] = [];
    const zoned = volume("pv-1", "a/data", { metadata: { labels: { "topology.kubernetes.io/zone": "z1" } } });
    const outcome = await run({
      objects: [namespace("a"), claim("a/data", "pv-1"), zoned],
      taker: {
        init: async (config) => void taken.push(config),
        getVolumeInfo: async () => ({ volumeType: "ssd", iops: 100 }),
        createSnapshot: async (input) => {
          taken.push(input);
          return "snap-7";
        },
      },
      more: { backup: backup("b1", {}, { labels: { team: "shop" } }) },
    });
    expect(taken).toEqual([
      { region: "here" },
      {
        volumeId: "vol-pv-1",
        volumeAZ: "z1",
        tags: { team: "shop", "velero.io/backup": "b1", "velero.io/pv": "pv-1" },
      },
    ]);
    expect(outcome.json("volumeSnapshots")).toEqual([
      {
        spec: {
          backupName: "b1",
          backupUID: "uid-of-b1",
          location: "default",
          persistentVolumeName: "pv-1",
          providerVolumeID: "vol-pv-1",
          volumeType: "ssd",
          volumeAZ: "z1",
          volumeIOPS: 100,
        },
        status: { providerSnapshotID: "snap-7", phase: "Completed" },
      },
    ]);
    expect(outcome.text("volumeInfo").trim()).toBe(
      '[{"pvcName":"data","pvcNamespace":"a","pvName":"pv-1","backupMethod":"NativeSnapshot","snapshotDataMoved":false,' +
        '"preserveLocalSnapshot":false,"skipped":false,"result":"succeeded","nativeSnapshotInfo":{"snapshotHandle":"snap-7",' +
        '"volumeType":"ssd","volumeAZ":"z1","iops":"100","Phase":"Completed"},"pvInfo":{"reclaimPolicy":"Delete",' +
        '"labels":{"topology.kubernetes.io/zone":"z1"}}}]',
    );
    expect(outcome.result.status).toMatchObject({ volumeSnapshotsAttempted: 1, volumeSnapshotsCompleted: 1 });
    expect(outcome.result.operations).toEqual([]);
  });

  test("of an asynchronous snapshotter are operations, and New until they end", async () => {
    const outcome = await run({ taker: { asynchronous: true, createSnapshot: async () => "snap-9" } });
    expect(outcome.result.phase).toBe("WaitingForPluginOperations");
    expect(outcome.json("itemOperations")).toEqual([
      {
        spec: {
          backupName: "b1",
          backupUID: "uid-of-b1",
          backupItemAction: "example.io/disk",
          resourceIdentifier: { Group: "", Resource: "persistentvolumes", Namespace: "", Name: "pv-1" },
          operationID: "snap-9",
          postOperationItems: null,
          volumeSnapshotLocation: "default",
        },
        status: { phase: "New", created: "2026-01-02T03:04:05Z" },
      },
    ]);
    expect(outcome.json("volumeSnapshots")).toMatchObject([{ status: { providerSnapshotID: "snap-9", phase: "New" } }]);
    const [info] = outcome.json<(Info & { nativeSnapshotInfo: { Phase: string } })[]>("volumeInfo");
    expect(info?.nativeSnapshotInfo.Phase).toBe("New");
    expect(info?.result).toBeUndefined();
    expect(outcome.result.status).toMatchObject({ volumeSnapshotsAttempted: 1, backupItemOperationsAttempted: 1 });
    expect(outcome.result.status.volumeSnapshotsCompleted).toBeUndefined();
  });

  test("that fail are recorded, and their volume is not stored; everything else is", async () => {
    const outcome = await run({
      taker: {
        createSnapshot: async () => {
          throw new AppError("Internal", "quota");
        },
      },
    });
    expect(outcome.result.phase).toBe("FinalizingPartiallyFailed");
    expect(outcome.json("volumeSnapshots")).toMatchObject([{ status: { phase: "Failed" } }]);
    expect(outcome.json("volumeInfo")).toMatchObject([{ result: "failed", nativeSnapshotInfo: { Phase: "Failed" } }]);
    expect(outcome.ledger()).toContainEqual(
      expect.objectContaining({ name: "pv-1", outcome: "failed", step: "snapshot" }),
    );
    expect(outcome.results().errors.velero?.[0]).toContain("error taking snapshot of volume: quota");
  });

  const skipped: Record<string, VolumeSetup & { reason: string; warnings?: number; errors?: number }> = {
    "without a location": { reason: "volumeSnapshot: no applicable volumesnapshotter found;" },
    "when they are switched off": {
      spec: { snapshotVolumes: false },
      taker: {},
      reason: "volumeSnapshot: not satisfy the criteria for VolumePolicy or the legacy snapshot way;",
    },
    "of a volume that no snapshotter knows": {
      taker: { getVolumeId: async () => "" },
      reason: "volumeSnapshot: no applicable volumesnapshotter found;",
      warnings: 1,
    },
    "when the snapshotter cannot be started": {
      taker: {
        init: async () => {
          throw new AppError("Unavailable", "no credentials");
        },
      },
      reason: "volumeSnapshot: no applicable volumesnapshotter found;",
      errors: 1,
    },
    "by a policy": {
      taker: {},
      policies: { volumePolicies: [{ conditions: { storageClass: ["fast"] }, action: { type: "skip" } }] },
      reason:
        "any: skipped due to resource policy ;" +
        "volumeSnapshot: not satisfy the criteria for VolumePolicy or the legacy snapshot way;",
    },
  };
  for (const [name, { reason, warnings = 0, errors = 0, ...setup }] of Object.entries(skipped)) {
    test(`are not taken ${name}, and the volume info says why`, async () => {
      const outcome = await run({
        objects: [namespace("a"), claim("a/data", "pv-1"), volume("pv-1", "a/data")],
        ...setup,
      });
      expect(outcome.json("volumeSnapshots")).toBeNull();
      expect(outcome.json("volumeInfo")).toMatchObject([{ pvName: "pv-1", skipped: true, skippedReason: reason }]);
      expect(outcome.result.status.warnings ?? 0).toBe(warnings);
      expect(outcome.result.status.errors ?? 0).toBe(errors);
      expect(await outcome.paths()).toContain("persistentvolumes pv-1");
    });
  }

  test("are taken by the first location whose snapshotter knows the volume", async () => {
    const plugins = memoryPlugins({
      snapshotters: {
        one: snapshotter("example.io/one", { getVolumeId: async () => "" }),
        two: snapshotter("example.io/two", { createSnapshot: async () => "by-two" }),
      },
    });
    const snapshotLocations = [
      { name: "first", provider: "one", config: {} },
      { name: "second", provider: "velero.io/two", config: {} },
    ];
    const outcome = await backUp({ objects: [volume("pv-1", "a/data")], plugins, ports: { snapshotLocations } });
    expect(outcome.json("volumeSnapshots")).toMatchObject([
      { spec: { location: "second" }, status: { providerSnapshotID: "by-two" } },
    ]);
    expect(outcome.results().warnings.cluster).toHaveLength(1);
  });
});

describe("volume data that was asked for and cannot be taken is an error that names claim and method:", () => {
  const cases: Record<string, VolumeSetup & { error: string; reason: string }> = {
    "file-system backup by annotation": {
      objects: [
        namespace("a"),
        pod("a/web", { claims: ["data"], metadata: { annotations: { "backup.velero.io/backup-volumes": "data" } } }),
        claim("a/data", "pv-1"),
        volume("pv-1", "a/data"),
      ],
      taker: {},
      error: 'file-system backup of volume "data" of pod a/web (claim a/data)',
      reason: "podvolume: file-system backup",
    },
    "file-system backup by default": {
      spec: { defaultVolumesToFsBackup: true },
      error: 'file-system backup of volume "data" of pod a/web (claim a/data)',
      reason: "podvolume: file-system backup",
    },
    "file-system backup by policy": {
      policies: { volumePolicies: [{ conditions: {}, action: { type: "fs-backup" } }] },
      error: 'file-system backup of volume "data" of pod a/web (claim a/data)',
      reason: "podvolume: file-system backup",
    },
    "CSI snapshot": {
      objects: [namespace("a"), claim("a/data", "pv-1"), volume("pv-1", "a/data", { source: csi })],
      features: ["EnableCSI"],
      error: "CSI snapshot of volume pv-1 (claim a/data)",
      reason: "csiSnapshot: CSI snapshot",
    },
    "data movement": {
      objects: [namespace("a"), claim("a/data", "pv-1"), volume("pv-1", "a/data", { source: csi })],
      features: ["EnableCSI"],
      spec: { snapshotMoveData: true },
      error: "data movement of volume pv-1 (claim a/data)",
      reason: "csiSnapshot: data movement",
    },
  };
  for (const [name, { error, reason, ...setup }] of Object.entries(cases)) {
    test(name, async () => {
      const outcome = await run(setup);
      expect(outcome.result.phase).toBe("FinalizingPartiallyFailed");
      expect(outcome.result.status.errors).toBe(1);
      expect(JSON.stringify(outcome.results().errors)).toContain(error.replaceAll('"', '\\"'));
      const [info] = outcome.json<Info[]>("volumeInfo");
      expect(info?.skipped).toBe(true);
      expect(info?.skippedReason).toContain(reason);
      expect(outcome.json("volumeSnapshots")).toBeNull();
      expect(await outcome.paths()).toContain("persistentvolumes pv-1");
    });
  }

  test("a claim that two pods mount is reported once; a pod that does not run is only a warning", async () => {
    const spec = { defaultVolumesToFsBackup: true };
    const base = [namespace("a"), claim("a/data", "pv-1"), volume("pv-1", "a/data")];
    const shared = await run({
      objects: [...base, pod("a/one", { claims: ["data"] }), pod("a/two", { claims: ["data"] })],
      spec,
    });
    expect(shared.result.status.errors).toBe(1);
    const pending = pod("a/one", { claims: ["data"], status: { phase: "Pending" } });
    const stopped = await run({ objects: [...base, pending], spec });
    expect(stopped.result.status.errors ?? 0).toBe(0);
    expect(stopped.results().warnings.namespaces?.["a"]).toEqual([
      " resource: /pods name: /one message: /Skip pod volume data error: /pod is not running",
    ]);
  });
});

test("volumes that hold no data of their own are never asked for", async () => {
  const volumes = ["hostPath", "secret", "configMap", "projected", "downwardAPI"].map((source) => ({
    name: source,
    [source]: {},
  }));
  const mounts = volumes.map(({ name }) => ({ name }));
  const bare = pod("a/one", { spec: { containers: [{ name: "c", volumeMounts: mounts }], volumes } });
  const outcome = await run({ objects: [namespace("a"), bare], spec: { defaultVolumesToFsBackup: true } });
  expect(outcome.result.phase).toBe("Finalizing");
});
