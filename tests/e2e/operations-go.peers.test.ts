import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testScope } from "@jibe/testkit";
import { buildGoProgram } from "@jibe/testkit/peers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VolumeWorld } from "./operations/volume-world.ts";

const goProgram = join(import.meta.dirname, "../../packages/plugin-sdk/test/go/snapshotter-v2");

interface StoredOperation {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
}

describe("a version 2 snapshotter in Go", { timeout: 120_000 }, () => {
  let world: VolumeWorld;
  let root: string;
  beforeAll(async () => {
    world = await VolumeWorld.start(async (plugins) => {
      await copyFile(await buildGoProgram(goProgram, testScope()), join(plugins, "go-folders"));
    });
    root = join(world.dir, "go");
    await world.snapshotLocation("go", "example.io/go-folders", { root });
  }, 300_000);
  afterAll(() => world[Symbol.asyncDispose](), 60_000);

  /** A volume with these files, and a claim on it. */
  async function deploy(place: string, name: string, files: readonly string[]): Promise<void> {
    const folder = join(root, "volumes", name);
    await mkdir(folder, { recursive: true });
    for (const file of files) await writeFile(join(folder, file), Buffer.alloc(100_000, file));
    await world.claimed(place, name, { source: { csi: { driver: "go.example.io", volumeHandle: name } } });
  }

  const callsOf = async (volume: string) =>
    (await readFile(join(root, "calls"), "utf8")).split("\n").filter((line) => line.includes(` ${volume}.`));
  const verbsOf = async (volume: string) => (await callsOf(volume)).map((line) => line.split(" ")[0]);

  test("is waited for, asked how far it is, and brings back every byte", async () => {
    await deploy("shop", "disk", ["a", "b", "c"]);
    await world.backUp("shop");
    const { status } = await world.product.untilEnded("backup", "shop");
    expect(status, world.server.log()).toMatchObject({
      phase: "Completed",
      backupItemOperationsAttempted: 1,
      backupItemOperationsCompleted: 1,
      volumeSnapshotsCompleted: 1,
    });
    expect(await verbsOf("disk")).toEqual(["CreateSnapshot", "Progress", "Progress", "Progress", "Progress"]);
    const [snapshot] = await world.storedSnapshots("shop");
    expect(snapshot).toMatchObject({ status: { phase: "Completed" } });
    const [operation] = await world.storedFile<readonly StoredOperation[]>("shop", "itemoperations");
    expect(operation?.spec).toMatchObject({
      backupItemAction: "example.io/go-folders",
      operationID: snapshot?.status.providerSnapshotID,
      resourceIdentifier: { Resource: "persistentvolumes", Name: "disk" },
      volumeSnapshotLocation: "go",
    });
    expect(operation?.status).toMatchObject({ phase: "Completed", operationUnits: "files", nCompleted: 3, nTotal: 3 });
    const volume = await world.restoredVolume("shop", "disk");
    const { volumeHandle } = (volume["spec"] as { csi: { volumeHandle: string } }).csi;
    expect(volumeHandle).not.toBe("disk");
    const restored = join(root, "volumes", volumeHandle);
    expect((await readdir(restored)).toSorted()).toEqual(["a", "b", "c"]);
    for (const file of ["a", "b", "c"]) {
      expect(await readFile(join(restored, file))).toEqual(Buffer.alloc(100_000, file));
    }
  });

  test("that fails is deleted, and fails its own volume alone", async () => {
    await deploy("halves", "bad", ["a", "broken"]);
    await deploy("halves", "good", ["a", "b"]);
    await world.backUp("halves");
    const { status } = await world.product.untilEnded("backup", "halves");
    expect(status).toMatchObject({
      phase: "PartiallyFailed",
      errors: 1,
      backupItemOperationsCompleted: 1,
      backupItemOperationsFailed: 1,
    });
    const phases = (await world.storedSnapshots("halves")).map((each) => [
      each.spec.persistentVolumeName,
      each.status.phase,
    ]);
    expect(phases.toSorted()).toEqual([
      ["bad", "Failed"],
      ["good", "Completed"],
    ]);
    expect((await verbsOf("bad")).at(-1)).toBe("DeleteSnapshot");
    expect(await verbsOf("good")).not.toContain("DeleteSnapshot");
    expect((await readdir(join(root, "snapshots"))).filter((name) => name.startsWith("bad."))).toEqual([]);
    expect((await world.product.jibe("backup", "logs", "halves")).out).toContain("the file cannot be read");
  });

  test("is canceled and deleted with its backup", async () => {
    await deploy("gone", "slow", ["a", "endless"]);
    await world.backUp("gone");
    await world.product.untilPhase("backup", "gone", ["WaitingForPluginOperations"]);
    expect(await world.product.jibe("backup", "cancel", "gone")).toMatchObject({ exitCode: 0 });
    const { status } = await world.product.untilEnded("backup", "gone");
    expect(status).toMatchObject({ phase: "Failed", failureReason: "Canceled by user" });
    expect((await verbsOf("slow")).slice(-2)).toEqual(["Cancel", "DeleteSnapshot"]);
    expect(await world.storedSnapshots("gone")).toMatchObject([{ status: { phase: "Failed" } }]);
  });
});
