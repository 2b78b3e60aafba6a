import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { KubeObject } from "@jibe/kube";
import { eventually, namespace } from "@jibe/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { coreTypes, veleroTypes } from "../../packages/jibe/src/api/index.ts";
import { describeTree, makeRichTree } from "../../packages/jibe/src/local-volume/test/trees.ts";
import { ProductWorld, type RunningServer } from "./product/product-world.ts";

const volumeType = { ...coreTypes.pod, kind: "PersistentVolume", resource: "persistentvolumes", namespaced: false };
const claimType = { ...coreTypes.pod, kind: "PersistentVolumeClaim", resource: "persistentvolumeclaims" };
const examplePlugin = join(import.meta.dirname, "../../examples/plugins/complete/plugin.ts");
const chaosPlugin = join(import.meta.dirname, "operations/chaos-plugin.ts");

interface StoredSnapshot {
  readonly spec: { readonly persistentVolumeName: string };
  readonly status: { readonly providerSnapshotID?: string; readonly phase: string };
}

describe("volumes whose snapshots take their time", { timeout: 120_000 }, () => {
  let world: ProductWorld;
  let server: RunningServer;
  beforeAll(async () => {
    world = await ProductWorld.start({ simulateWorkloads: true });
    await symlink(examplePlugin, join(world.dir, "plugins", "example"));
    await symlink(chaosPlugin, join(world.dir, "plugins", "chaos"));
    server = await world.startServer({ flags: ["--plugin-call-timeout=10s"] });
    await world.addLocation();
    await world.untilPhase("backupStorageLocation", "default", ["Available"]);
    const [snapshots, volumes] = [join(world.dir, "snapshots"), join(world.dir, "restored")];
    await snapshotLocation("local", "jibe.io/local-volume", { root: snapshots, volumes });
    await snapshotLocation("folders", "example.io/folder-volumes", { root: join(world.dir, "folders") });
    await snapshotLocation("chaos", "example.io/chaos-volumes", {});
  }, 120_000);
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  }, 60_000);

  async function snapshotLocation(name: string, provider: string, config: object): Promise<void> {
    const metadata = { name, namespace: "velero" };
    const kind = "VolumeSnapshotLocation";
    await world.create(veleroTypes.volumeSnapshotLocation, {
      apiVersion: "velero.io/v1",
      kind,
      metadata,
      spec: { provider, config },
    });
  }

  /** A namespace with a claim that is bound to a volume of this source. */
  async function claimed(place: string, name: string, { source, labels }: { source: object; labels?: object }) {
    await world.create(coreTypes.namespace, namespace(place)).catch(() => undefined); // a second claim of the same place
    const common = { accessModes: ["ReadWriteOnce"], storageClassName: "" };
    await world.create(volumeType, {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name, ...(labels ? { labels } : {}) },
      spec: { ...common, ...source, capacity: { storage: "1Mi" } },
    });
    const spec = { ...common, volumeName: name, resources: { requests: { storage: "1Mi" } } };
    const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name, namespace: place }, spec };
    await world.create(claimType, claim);
    await untilBound(place, name);
  }

  const untilBound = (place: string, name: string) =>
    eventually(
      async () => {
        const claim = (await listed(claimType, place)).find(({ metadata }) => metadata.name === name);
        if ((claim?.["status"] as { phase?: string } | undefined)?.phase !== "Bound")
          throw new Error(`claim ${place}/${name} is not bound: ${JSON.stringify(claim)}`);
        return claim;
      },
      { timeoutMs: 20_000 },
    );

  async function listed(type: typeof claimType, place?: string): Promise<KubeObject[]> {
    const { items } = await world.client.list(type, place === undefined ? {} : { namespace: place }, world.scope);
    return items as unknown as KubeObject[];
  }

  async function backUp(place: string, spec: object = {}): Promise<void> {
    await world.create(veleroTypes.backup, {
      apiVersion: "velero.io/v1",
      kind: "Backup",
      metadata: { name: place, namespace: "velero" },
      spec: { includedNamespaces: [place], ...spec },
    });
  }

  /** Restores into another namespace and gives the volume that the claim there got. */
  async function restoredVolume(place: string, claim: string): Promise<KubeObject> {
    const target = `copy-${place}`;
    await world.create(veleroTypes.restore, {
      apiVersion: "velero.io/v1",
      kind: "Restore",
      metadata: { name: place, namespace: "velero" },
      spec: { backupName: place, namespaceMapping: { [place]: target } },
    });
    const { status } = await world.untilEnded("restore", place);
    expect(status?.["phase"], JSON.stringify(status)).toBe("Completed");
    await untilBound(target, claim);
    const ofTarget = (volume: KubeObject) =>
      (volume["spec"] as { claimRef?: { namespace?: string } }).claimRef?.namespace === target;
    const [volume, ...more] = (await listed(volumeType)).filter(ofTarget);
    expect(more).toEqual([]);
    return volume as KubeObject;
  }

  async function storedSnapshots(place: string): Promise<readonly StoredSnapshot[]> {
    const file = join(world.dir, "store/bucket/backups", place, `${place}-volumesnapshots.json.gz`);
    return JSON.parse(gunzipSync(await readFile(file)).toString()) as readonly StoredSnapshot[];
  }

  const heldFiles = async () => (await readdir(join(world.dir, "held"))).filter((file) => file.startsWith("chaos-"));

  test("jibe.io/local-volume brings back every file as it was", async () => {
    const source = join(world.dir, "rich");
    await mkdir(source);
    await using _tree = await makeRichTree(source);
    await claimed("rich", "rich", { source: { hostPath: { path: source } } });
    await backUp("rich");
    const { status } = await world.untilEnded("backup", "rich");
    expect(status).toMatchObject({
      phase: "Completed",
      backupItemOperationsAttempted: 1,
      backupItemOperationsCompleted: 1,
      volumeSnapshotsAttempted: 1,
      volumeSnapshotsCompleted: 1,
    });
    expect(await storedSnapshots("rich")).toMatchObject([{ status: { phase: "Completed" } }]);
    const volume = await restoredVolume("rich", "rich");
    const { path } = (volume["spec"] as { hostPath: { path: string } }).hostPath;
    expect(path.startsWith(join(world.dir, "restored"))).toBe(true);
    expect(await describeTree(path)).toEqual(await describeTree(source));
  });

  test("the example plugin's snapshotter brings back its folder", async () => {
    const source = join(world.dir, "folders/volumes/v1");
    await mkdir(source, { recursive: true });
    for (const name of ["a", "b", "c", "d", "e"]) await writeFile(join(source, name), `content of ${name}`);
    const csi = { driver: "folders.example.io", volumeHandle: "v1" };
    await claimed("folder", "folder", { source: { csi } });
    await backUp("folder");
    const { status } = await world.untilEnded("backup", "folder");
    expect(status, server.log()).toMatchObject({ phase: "Completed", backupItemOperationsCompleted: 1 });
    const volume = await restoredVolume("folder", "folder");
    const { volumeHandle } = (volume["spec"] as { csi: { volumeHandle: string } }).csi;
    expect(volumeHandle).not.toBe("v1");
    const restored = join(world.dir, "folders/volumes", volumeHandle);
    expect((await readdir(restored)).toSorted()).toEqual(["a", "b", "c", "d", "e"]);
    for (const name of await readdir(restored)) {
      expect(await readFile(join(restored, name), "utf8")).toBe(`content of ${name}`);
    }
  });

  test("one that fails is deleted, and fails its own volume alone", async () => {
    const healthy = join(world.dir, "healthy");
    await mkdir(healthy);
    await writeFile(join(healthy, "file"), "well");
    await claimed("halves", "broken", { source: { hostPath: { path: healthy } }, labels: { chaos: "fails-at-last" } });
    await claimed("halves", "healthy", { source: { local: { path: healthy } } });
    await backUp("halves", { volumeSnapshotLocations: ["chaos", "local"] });
    const { status } = await world.untilEnded("backup", "halves");
    expect(status).toMatchObject({
      phase: "PartiallyFailed",
      errors: 1,
      backupItemOperationsFailed: 1,
      backupItemOperationsCompleted: 1,
    });
    const phases = (await storedSnapshots("halves")).map(({ spec, status: { phase } }) => [
      spec.persistentVolumeName,
      phase,
    ]);
    expect(phases.toSorted()).toEqual([
      ["broken", "Failed"],
      ["healthy", "Completed"],
    ]);
    expect(await heldFiles()).toContain("chaos-deleted-fails-at-last.broken");
    const log = await world.jibe("backup", "logs", "halves");
    expect(log.out).toMatch(/the disk broke/);
    expect((await heldFiles()).filter((file) => file.startsWith("chaos-restored-"))).toEqual([]);
  });

  test("one that takes too long is canceled and deleted", async () => {
    await claimed("late", "late", { source: { hostPath: { path: world.dir } }, labels: { chaos: "never-ends" } });
    await backUp("late", { itemOperationTimeout: "2s", volumeSnapshotLocations: ["chaos"] });
    const { status } = await world.untilEnded("backup", "late");
    expect(status).toMatchObject({ phase: "PartiallyFailed", backupItemOperationsFailed: 1 });
    expect(await heldFiles()).toEqual(
      expect.arrayContaining(["chaos-canceled-never-ends.late", "chaos-deleted-never-ends.late"]),
    );
  });

  test("a backup that is canceled cancels and deletes it", async () => {
    await claimed("gone", "gone", { source: { hostPath: { path: world.dir } }, labels: { chaos: "never-ends" } });
    await backUp("gone", { volumeSnapshotLocations: ["chaos"] });
    await world.untilPhase("backup", "gone", ["WaitingForPluginOperations"]);
    const { exitCode } = await world.jibe("backup", "cancel", "gone");
    expect(exitCode).toBe(0);
    const { status } = await world.untilEnded("backup", "gone");
    expect(status).toMatchObject({ phase: "Failed", failureReason: "Canceled by user" });
    expect(await heldFiles()).toEqual(
      expect.arrayContaining(["chaos-canceled-never-ends.gone", "chaos-deleted-never-ends.gone"]),
    );
    expect(await storedSnapshots("gone")).toMatchObject([{ status: { phase: "Failed" } }]);
    expect(existsSync(join(world.dir, "store/bucket/backups/gone/gone-logs.gz"))).toBe(true);
  });
});
