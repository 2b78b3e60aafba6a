import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeTree, makeRichTree } from "../../packages/jibe/src/local-volume/test/trees.ts";
import { VolumeWorld } from "./operations/volume-world.ts";
import type { ProductWorld } from "./product/product-world.ts";

const examplePlugin = join(import.meta.dirname, "../../examples/plugins/complete/plugin.ts");
const chaosPlugin = join(import.meta.dirname, "operations/chaos-plugin.ts");

describe("volumes whose snapshots take their time", { timeout: 120_000 }, () => {
  let volumes: VolumeWorld;
  let world: ProductWorld;
  beforeAll(async () => {
    volumes = await VolumeWorld.start(async (plugins) => {
      await symlink(examplePlugin, join(plugins, "example"));
      await symlink(chaosPlugin, join(plugins, "chaos"));
    });
    world = volumes.product;
    const [snapshots, restored] = [join(world.dir, "snapshots"), join(world.dir, "restored")];
    await volumes.snapshotLocation("local", "jibe.io/local-volume", { root: snapshots, volumes: restored });
    await volumes.snapshotLocation("folders", "example.io/folder-volumes", { root: join(world.dir, "folders") });
    await volumes.snapshotLocation("chaos", "example.io/chaos-volumes", {});
  }, 120_000);
  afterAll(() => volumes[Symbol.asyncDispose](), 60_000);

  const heldFiles = async () => (await readdir(join(world.dir, "held"))).filter((file) => file.startsWith("chaos-"));

  test("jibe.io/local-volume brings back every file as it was", async () => {
    const source = join(world.dir, "rich");
    await mkdir(source);
    await using _tree = await makeRichTree(source);
    await volumes.claimed("rich", "rich", { source: { hostPath: { path: source } } });
    await volumes.backUp("rich");
    const { status } = await world.untilEnded("backup", "rich");
    expect(status).toMatchObject({
      phase: "Completed",
      backupItemOperationsAttempted: 1,
      backupItemOperationsCompleted: 1,
      volumeSnapshotsAttempted: 1,
      volumeSnapshotsCompleted: 1,
    });
    expect(await volumes.storedSnapshots("rich")).toMatchObject([{ status: { phase: "Completed" } }]);
    const volume = await volumes.restoredVolume("rich", "rich");
    const { path } = (volume["spec"] as { hostPath: { path: string } }).hostPath;
    expect(path.startsWith(join(world.dir, "restored"))).toBe(true);
    expect(await describeTree(path)).toEqual(await describeTree(source));
  });

  test("the example plugin's snapshotter brings back its folder", async () => {
    const source = join(world.dir, "folders/volumes/v1");
    await mkdir(source, { recursive: true });
    for (const name of ["a", "b", "c", "d", "e"]) await writeFile(join(source, name), `content of ${name}`);
    const csi = { driver: "folders.example.io", volumeHandle: "v1" };
    await volumes.claimed("folder", "folder", { source: { csi } });
    await volumes.backUp("folder");
    const { status } = await world.untilEnded("backup", "folder");
    expect(status, volumes.server.log()).toMatchObject({ phase: "Completed", backupItemOperationsCompleted: 1 });
    const volume = await volumes.restoredVolume("folder", "folder");
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
    await volumes.claimed("halves", "broken", {
      source: { hostPath: { path: healthy } },
      labels: { chaos: "fails-at-last" },
    });
    await volumes.claimed("halves", "healthy", { source: { local: { path: healthy } } });
    await volumes.backUp("halves", { volumeSnapshotLocations: ["chaos", "local"] });
    const { status } = await world.untilEnded("backup", "halves");
    expect(status).toMatchObject({
      phase: "PartiallyFailed",
      errors: 1,
      backupItemOperationsFailed: 1,
      backupItemOperationsCompleted: 1,
    });
    const phases = (await volumes.storedSnapshots("halves")).map(({ spec, status: { phase } }) => [
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
    await world.jibe(
      "restore",
      "create",
      "halves",
      "--from-backup=halves",
      "--namespace-mappings=halves:copy",
      "--wait",
    );
    expect((await heldFiles()).filter((file) => file.startsWith("chaos-restored-"))).toEqual([]);
    const { out } = await world.jibe("restore", "describe", "halves", "--details");
    expect(out).toMatch(/persistentvolumes\/broken.*the data is not in the backup/s);
    expect(out).toMatch(/v1\/PersistentVolume:\n.*\n?.*velero-clone-/);
  });

  test("one that takes too long is canceled and deleted", async () => {
    await volumes.claimed("late", "late", {
      source: { hostPath: { path: world.dir } },
      labels: { chaos: "never-ends" },
    });
    await volumes.backUp("late", { itemOperationTimeout: "2s", volumeSnapshotLocations: ["chaos"] });
    const { status } = await world.untilEnded("backup", "late");
    expect(status).toMatchObject({ phase: "PartiallyFailed", backupItemOperationsFailed: 1 });
    expect(await heldFiles()).toEqual(
      expect.arrayContaining(["chaos-canceled-never-ends.late", "chaos-deleted-never-ends.late"]),
    );
  });

  test("a backup that is canceled cancels and deletes it", async () => {
    await volumes.claimed("gone", "gone", {
      source: { hostPath: { path: world.dir } },
      labels: { chaos: "never-ends" },
    });
    await volumes.backUp("gone", { volumeSnapshotLocations: ["chaos"] });
    await world.untilPhase("backup", "gone", ["WaitingForPluginOperations"]);
    expect(await volumes.storedSnapshots("gone")).toMatchObject([{ status: { phase: "New" } }]);
    expect(await volumes.storedFile("gone", "volumeinfo")).toMatchObject([{ nativeSnapshotInfo: { Phase: "New" } }]);
    const { exitCode } = await world.jibe("backup", "cancel", "gone");
    expect(exitCode).toBe(0);
    const { status } = await world.untilEnded("backup", "gone");
    expect(status).toMatchObject({ phase: "Failed", failureReason: "Canceled by user" });
    expect(await heldFiles()).toEqual(
      expect.arrayContaining(["chaos-canceled-never-ends.gone", "chaos-deleted-never-ends.gone"]),
    );
    expect(await volumes.storedSnapshots("gone")).toMatchObject([{ status: { phase: "Failed" } }]);
    expect(existsSync(join(world.dir, "store/bucket/backups/gone/gone-logs.gz"))).toBe(true);
  });
});
