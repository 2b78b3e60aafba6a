import { gzipSync } from "node:zlib";
import { AppError } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { claim, namespace, object, pod, volume } from "../../test/builders.ts";
import { restoreAction, snapshotter } from "../../test/memory-plugins.ts";
import { restoreWorld, type WorldOptions } from "../../test/restore-world.ts";
import { restoreKeys } from "../layout/object-keys.ts";
import { runRestore } from "./run-restore.ts";

const withPolicy = (policy: string, made: KubernetesObject): KubernetesObject => ({
  ...made,
  spec: { ...(made["spec"] as object), persistentVolumeReclaimPolicy: policy },
});
const pv = (policy = "Delete", name = "pv-1") =>
  withPolicy(
    policy,
    volume(name, "shop/data", {
      metadata: { annotations: { "pv.kubernetes.io/bound-by-controller": "yes", keep: "1" } },
    }),
  );
const pvc = claim("shop/data", "pv-1", { annotations: { "pv.kubernetes.io/bind-completed": "yes" } });
const info = (backupMethod?: string, more: object = {}) => ({
  pvcName: "data",
  pvcNamespace: "shop",
  pvName: "pv-1",
  ...(backupMethod ? { backupMethod } : {}),
  snapshotDataMoved: false,
  ...more,
});
const snapshot = {
  spec: { location: "default", persistentVolumeName: "pv-1", volumeType: "ssd", volumeAZ: "z1", volumeIOPS: 100 },
  status: { providerSnapshotID: "snap-1", phase: "Completed" },
};

async function run(options: WorldOptions) {
  using scope = testScope();
  const world = await restoreWorld({ snapshotters: { test: snapshotter("test") }, ...options }, scope);
  const result = await world.run();
  const restored = (name = "pv-1") => world.cluster.read("persistentvolumes", name);
  const claimed = world.cluster.read("persistentvolumeclaims", "data", "shop");
  return { ...world, ...result, restored, claimed };
}

const volumeNameOf = (object: KubernetesObject | undefined) =>
  (object?.["spec"] as { volumeName?: string } | undefined)?.volumeName;

describe("a volume", () => {
  const cases: Record<string, { options: WorldOptions; restored: boolean; lost?: boolean }> = {
    "without data and with policy Delete is made anew": {
      options: { backedUp: [pv(), pvc], files: { volumeInfo: [info()] } },
      restored: false,
    },
    "without data and with policy Retain comes back": {
      options: { backedUp: [pv("Retain"), pvc], files: { volumeInfo: [info()] } },
      restored: true,
    },
    "of an old backup, with policy Delete, is made anew": { options: { backedUp: [pv(), pvc] }, restored: false },
    "of an old backup, with policy Retain, comes back": { options: { backedUp: [pv("Retain"), pvc] }, restored: true },
    "with a native snapshot comes back": {
      options: { backedUp: [pv(), pvc], files: { volumeInfo: [info("NativeSnapshot")], volumeSnapshots: [snapshot] } },
      restored: true,
    },
    "of an old backup, with a native snapshot, comes back": {
      options: { backedUp: [pv(), pvc], files: { volumeSnapshots: [snapshot] } },
      restored: true,
    },
    "with a pod volume backup is made anew, and its data reported": {
      options: { backedUp: [pv("Retain"), pvc], files: { volumeInfo: [info("PodVolumeBackup")] } },
      restored: false,
      lost: true,
    },
    "with a CSI snapshot is made anew, and its data reported": {
      options: { backedUp: [pv("Retain"), pvc], files: { volumeInfo: [info("CSISnapshot")] } },
      restored: false,
      lost: true,
    },
    "whose data was moved is made anew, and its data reported": {
      options: { backedUp: [pv(), pvc], files: { volumeInfo: [info("CSISnapshot", { snapshotDataMoved: true })] } },
      restored: false,
      lost: true,
    },
    "of an old backup, with a CSI snapshot, too": {
      options: {
        backedUp: [pv("Retain"), pvc],
        files: {
          csiVolumeSnapshots: [
            { metadata: { namespace: "shop" }, spec: { source: { persistentVolumeClaimName: "data" } } },
          ],
        },
      },
      restored: false,
      lost: true,
    },
  };
  for (const [name, { options, restored, lost = false }] of Object.entries(cases)) {
    test(name, async () => {
      const world = await run(options);
      expect(world.restored() !== undefined).toBe(restored);
      expect(volumeNameOf(world.claimed)).toBe(restored ? "pv-1" : undefined);
      expect(world.claimed?.metadata.annotations).toEqual({});
      expect(world.status.phase).toBe(lost ? "FinalizingPartiallyFailed" : "Finalizing");
      if (lost)
        expect(world.results.errors.namespaces?.["shop"]).toEqual([
          expect.stringMatching(
            /^the data of claim shop\/data was not restored: the backup has it by (PodVolumeBackup|CSISnapshot|data movement)/,
          ),
        ]);
      if (restored) expect(world.restored()?.metadata.annotations).toEqual({ keep: "1" });
    });
  }

  test("that a plugin fills is no loss", async () => {
    const byOperation = restoreAction("x/fill", { includedResources: ["pvc"] }, () => ({ operationId: "op" }));
    const files = { volumeInfo: [info("CSISnapshot")] };
    expect((await run({ backedUp: [pv(), pvc], files, actions: [byOperation] })).status.errors).toBe(0);
    const bySource = restoreAction("x/fill", { includedResources: ["pvc"] }, (item) => ({
      item: { ...item, spec: { dataSource: { kind: "VolumeSnapshot", name: "s" } } },
    }));
    expect((await run({ backedUp: [pv(), pvc], files, actions: [bySource] })).status.errors).toBe(0);
    expect((await run({ backedUp: [pv(), pvc], files, spec: { restorePVs: false } })).status.errors).toBe(0);
  });

  test("of a pod that was backed up from its files is reported once, and no wait container is left", async () => {
    const waiting = pod("shop/web", { claims: ["data"] });
    const spec = { ...(waiting["spec"] as object), initContainers: [{ name: "restore-wait" }, { name: "mine" }] };
    const podVolumeBackups = ["data", "scratch"].map((name) => ({
      metadata: { annotations: name === "data" ? { "velero.io/pvc-name": "data" } : {} },
      spec: { pod: { namespace: "shop", name: "web" }, volume: name },
      status: { phase: "Completed", snapshotID: "x" },
    }));
    const world = await run({
      backedUp: [{ ...waiting, spec }, pv(), pvc],
      files: { volumeInfo: [info("PodVolumeBackup")], podVolumeBackups },
    });
    expect(
      world.results.errors.namespaces?.["shop"]?.map((text) => text.slice(0, text.indexOf(" was not"))).sort(),
    ).toEqual(["the data of claim shop/data", "the data of volume scratch of pod shop/web"]);
    expect(world.cluster.read("pods", "web", "shop")?.["spec"]).toMatchObject({ initContainers: [{ name: "mine" }] });
  });
});

describe("a volume from a native snapshot", () => {
  const files = { volumeInfo: [info("NativeSnapshot")], volumeSnapshots: [snapshot] };

  test("is made by the snapshotter of its location", async () => {
    const calls: unknown[] = [];
    const taking = snapshotter("test", {
      init: async (config) => void calls.push(config),
      createVolumeFromSnapshot: async (input) => {
        calls.push(input);
        return "vol-new";
      },
      setVolumeId: async (item, volumeId) => ({
        ...item,
        spec: { ...(item["spec"] as object), awsElasticBlockStore: { volumeID: volumeId } },
      }),
    });
    const world = await run({ backedUp: [pv(), pvc], files, snapshotters: { test: taking } });
    expect(calls).toEqual([
      { location: "default" },
      { snapshotId: "snap-1", volumeType: "ssd", volumeAZ: "z1", iops: 100, requestId: expect.any(String) },
    ]);
    expect(world.restored()?.["spec"]).toMatchObject({
      awsElasticBlockStore: { volumeID: "vol-new" },
      claimRef: { namespace: "shop", name: "data" },
    });
    expect(JSON.parse(world.file("volumeInfo"))).toEqual([
      {
        pvcName: "data",
        pvcNamespace: "shop",
        pvName: "pv-1",
        restoreMethod: "NativeSnapshot",
        snapshotDataMoved: false,
        nativeSnapshotInfo: { snapshotHandle: "snap-1", volumeType: "ssd", volumeAZ: "z1", iops: "100", Phase: "" },
      },
    ]);
  });

  test("is not made when the cluster has it and uses it", async () => {
    const world = await run({ backedUp: [pv(), pvc], files, objects: [namespace("shop"), pv(), pvc] });
    expect(JSON.parse(world.file("volumeInfo"))).toEqual([]);
  });

  test("waits for one that goes, and fails when it does not go", async () => {
    const released = { ...pv(), status: { phase: "Released" } };
    const world = await run({
      backedUp: [pv(), pvc],
      files,
      objects: [namespace("shop"), released],
      settings: { terminatingResourceTimeoutMs: 30 },
    });
    expect(world.results.errors.cluster).toEqual([
      expect.stringContaining("error waiting on in-cluster persistentvolume pv-1"),
    ]);
    expect(world.claimed).toBeDefined();
  });

  test("gets another name where its own is taken by the volume of a mapped namespace", async () => {
    const spec = { namespaceMapping: { shop: "copy" } };
    const world = await run({ backedUp: [pv(), pvc], files, objects: [pv()], spec });
    const name = volumeNameOf(world.cluster.read("persistentvolumeclaims", "data", "copy")) ?? "";
    expect(name).toMatch(/^velero-clone-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    const clone = world.restored(name);
    expect(clone?.metadata.annotations).toMatchObject({ "velero.io/original-pv-name": "pv-1" });
    expect(clone?.["spec"]).toMatchObject({ claimRef: { namespace: "copy" } });
    expect(JSON.parse(world.file("resourceList"))["v1/PersistentVolume"]).toEqual([`${name}(created)`]);
    expect(JSON.parse(world.file("volumeInfo"))).toMatchObject([{ pvName: name }]);
  });

  test("is used by the next attempt when the one that made it ended before the cluster knew it", async () => {
    let made = 0;
    const counting = snapshotter("test", {
      createVolumeFromSnapshot: async () => `vol-${++made}`,
      setVolumeId: async (volume, volumeId) => ({ ...volume, spec: { ...(volume["spec"] as object), volumeId } }),
    });
    const options = { backedUp: [pv(), pvc], files, snapshotters: { test: counting } };
    using first = testScope();
    const world = await restoreWorld(options, first);
    const killed = new Error("killed");
    const create: typeof world.cluster.create = async (type, request, scope) => {
      if (type.resource === "persistentvolumes") first.abort(killed);
      scope.signal.throwIfAborted();
      return world.cluster.create(type, request, scope);
    };
    const failing = { ...world.ports, cluster: { ...world.cluster, create } };
    await expect(runRestore(world.request, failing, first)).rejects.toBe(killed);
    using next = testScope();
    const { status } = await runRestore(world.request, world.ports, next);
    expect(status.phase).toBe("Finalizing");
    expect(made).toBe(1);
    expect(world.cluster.read("persistentvolumes", "pv-1")?.["spec"]).toMatchObject({ volumeId: "vol-1" });
    expect(JSON.parse(world.file("volumeInfo"))).toMatchObject([{ pvName: "pv-1", restoreMethod: "NativeSnapshot" }]);
  });
  test("is kept for the next attempt when the cluster refused it, though the files of this one are complete", async () => {
    let made = 0;
    const counting = snapshotter("test", { createVolumeFromSnapshot: async () => `vol-${++made}` });
    using scope = testScope();
    const world = await restoreWorld({ backedUp: [pv(), pvc], files, snapshotters: { test: counting } }, scope);
    const create: typeof world.cluster.create = async (type, request, inner) => {
      if (type.resource === "persistentvolumes") throw new AppError("InvalidArgument", "refused");
      return world.cluster.create(type, request, inner);
    };
    const refusing = { ...world.ports, cluster: { ...world.cluster, create } };
    const { status } = await runRestore(world.request, refusing, scope);
    expect(status).toMatchObject({ phase: "FinalizingPartiallyFailed", errors: 1 });
    await world.run();
    expect(made).toBe(1);
    expect(JSON.parse(world.file("volumeInfo"))).toHaveLength(1);
  });
  test("of an earlier restore of the same name is left alone", async () => {
    let made = 0;
    const counting = snapshotter("test", { createVolumeFromSnapshot: async () => `vol-${++made}` });
    using scope = testScope();
    const world = await restoreWorld({ backedUp: [pv(), pvc], files, snapshotters: { test: counting } }, scope);
    const left = [{ restoreUID: "another", pvName: "pv-1", snapshotId: "snap-1", volumeId: "theirs" }];
    world.store.objects.set(restoreKeys("r1").volumeInfo, gzipSync(JSON.stringify(left)));
    await world.run();
    expect(made).toBe(1);
  });
  for (const phase of ["Failed", "New"]) {
    test(`is never made from a snapshot that is ${phase}, and the restore says so`, async () => {
      const calls: string[] = [];
      const asked = snapshotter("test", {
        createVolumeFromSnapshot: async ({ snapshotId }) => {
          calls.push(snapshotId);
          return "vol";
        },
      });
      const volumeSnapshots = [{ ...snapshot, status: { ...snapshot.status, phase } }];
      const broken = { volumeInfo: [info("NativeSnapshot")], volumeSnapshots };
      const world = await run({ backedUp: [pv(), pvc], files: broken, snapshotters: { test: asked } });
      expect(calls).toEqual([]);
      expect(world.restored()).toBe(undefined);
      expect(JSON.stringify(world.results.errors)).toContain("the data is not in the backup: snapshot snap-1");
    });
  }
  test("is made once, though the restore is run again", async () => {
    let made = 0;
    const counting = snapshotter("test", { createVolumeFromSnapshot: async () => `vol-${++made}` });
    const spec = { namespaceMapping: { shop: "copy" } };
    const options = { backedUp: [pv(), pvc], files, objects: [pv()], spec, snapshotters: { test: counting } };
    using scope = testScope();
    const world = await restoreWorld(options, scope);
    await world.run();
    await world.run();
    expect(made).toBe(1);
    const volumes = world.cluster.calls.filter((call) => call.startsWith("create persistentvolumes "));
    expect(new Set(volumes).size).toBe(1);
    expect(JSON.parse(world.file("volumeInfo"))).toHaveLength(1);
  });

  test("keeps the name that its snapshotter gives", async () => {
    const renaming = snapshotter("test", {
      setVolumeId: async (item) => ({ ...item, metadata: { ...item.metadata, name: "chosen" } }),
    });
    const world = await run({ backedUp: [pv(), pvc], files, snapshotters: { test: renaming } });
    expect(world.restored("chosen")).toBeDefined();
    expect(volumeNameOf(world.claimed)).toBe("chosen");
  });

  test("is left as it was when volumes are not to be restored", async () => {
    const world = await run({ backedUp: [pv(), pvc], files, spec: { restorePVs: false } });
    expect(world.restored()).toBeDefined();
    expect(JSON.parse(world.file("volumeInfo"))).toEqual([]);
  });

  test("that cannot be made is an error, and the rest goes on", async () => {
    const failing = snapshotter("test", {
      createVolumeFromSnapshot: async () => Promise.reject(new AppError("Unavailable", "no capacity")),
    });
    const world = await run({
      backedUp: [pv(), pvc, object("v1", "Secret", "shop/s")],
      files,
      snapshotters: { test: failing },
    });
    expect(world.results.errors.cluster).toEqual([
      expect.stringMatching(/error executing PVAction for persistentvolumes\/pv-1: no capacity/),
    ]);
    expect(world.cluster.read("secrets", "s", "shop")).toBeDefined();
  });
});
