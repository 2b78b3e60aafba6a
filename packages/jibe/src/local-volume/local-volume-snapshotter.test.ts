import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { systemClock } from "@jibe/base";
import type { Snapshotter } from "@jibe/engine";
import { eventually, fakeClock, object, tempDir, testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { processMarks } from "../scratch/process-mark.ts";
import { localVolumeSnapshotter } from "./local-volume-snapshotter.ts";
import { SnapshotCopies } from "./snapshot-copies.ts";
import { describeTree, makeRichTree } from "./test/trees.ts";

const mebibyte = 1024 * 1024;

/** A snapshotter on a folder of its own, with a volume to snapshot. */
async function world(config: Record<string, string> = {}) {
  const stack = new AsyncDisposableStack();
  const scope = stack.use(testScope());
  const folder = stack.use(await tempDir("local-volume"));
  const copies = stack.use(new SnapshotCopies(systemClock));
  const root = join(folder.path, "snapshots");
  const volumeId = join(folder.path, "volumes", "data");
  await mkdir(volumeId, { recursive: true });
  const options = { processes: await processMarks(), clock: systemClock };
  const open = async (copies: SnapshotCopies) => {
    const snapshotter = localVolumeSnapshotter({ ...options, copies });
    await snapshotter.init({ root, ...config }, scope);
    return snapshotter;
  };
  const snapshotter = await open(copies);
  /** As another process would see it: nothing in memory. */
  const elsewhere = await open(new SnapshotCopies(systemClock));
  const take = () => snapshotter.createSnapshot({ volumeId, volumeAZ: "", tags: { "velero.io/backup": "b" } }, scope);
  const dispose = () => stack.disposeAsync();
  return {
    scope,
    root,
    volumeId,
    copies,
    snapshotter,
    elsewhere,
    take,
    folder: folder.path,
    [Symbol.asyncDispose]: dispose,
  };
}

const ended = (snapshotter: Snapshotter, id: string, scope: Parameters<Snapshotter["progress"]>[1]) =>
  eventually(async () => {
    const progress = await snapshotter.progress(id, scope);
    return progress.completed && progress;
  });

describe("a local volume", () => {
  test("comes back from its snapshot as it was", async () => {
    await using test = await world();
    const { scope, volumeId, snapshotter, elsewhere } = test;
    await using _socket = await makeRichTree(volumeId);
    const before = await describeTree(volumeId);
    const id = await test.take();
    const progress = await ended(elsewhere, id, scope);
    expect(progress).toMatchObject({ completed: true, operationUnits: "Bytes" });
    expect(progress.error).toBe(undefined);
    expect(progress.description).toBe("Completed; 2 sockets, pipes or devices left out");
    expect(progress.nCompleted).toBe(progress.nTotal);
    await writeFile(join(volumeId, "a", "text"), "changed since");
    const restored = await elsewhere.createVolumeFromSnapshot(
      { snapshotId: id, volumeType: "local-volume", volumeAZ: "" },
      scope,
    );
    expect(dirname(restored)).toBe(dirname(volumeId));
    expect(await describeTree(restored)).toEqual(before);
    await snapshotter.deleteSnapshot(id, scope);
    await snapshotter.deleteSnapshot(id, scope);
    expect(await readdir(test.root)).toEqual([]);
    await expect(elsewhere.progress(id, scope)).rejects.toMatchObject({ code: "InvalidArgument" });
  });

  test("is restored where the configuration says, as the node sees it", async () => {
    await using test = await world();
    const { scope, volumeId, folder } = test;
    const onNode = localVolumeSnapshotter({ copies: test.copies, processes: await processMarks(), clock: systemClock });
    await onNode.init({ root: test.root, hostRoot: folder, volumes: "/restored/here" }, scope);
    await writeFile(join(volumeId, "file"), "content");
    const input = { volumeId: "/volumes/data", volumeAZ: "", tags: {} };
    const id = await onNode.createSnapshot(input, scope);
    await ended(onNode, id, scope);
    const restored = await onNode.createVolumeFromSnapshot({ snapshotId: id, volumeType: "", volumeAZ: "" }, scope);
    expect(restored).toMatch(/^\/restored\/here\/data-[0-9a-f]{16}$/);
    expect(await readdir(join(folder, restored))).toEqual(["file"]);
  });

  test("is made once for one request, also when the process was killed before anyone used it", async () => {
    await using test = await world();
    const { scope, volumeId, snapshotter, elsewhere } = test;
    await writeFile(join(volumeId, "file"), "content");
    const id = await test.take();
    await ended(snapshotter, id, scope);
    const input = { snapshotId: id, volumeType: "", volumeAZ: "", requestId: "restore-1/data" };
    const restored = await snapshotter.createVolumeFromSnapshot(input, scope);
    expect(await elsewhere.createVolumeFromSnapshot(input, scope)).toBe(restored);
    const another = await elsewhere.createVolumeFromSnapshot({ ...input, requestId: "restore-2/data" }, scope);
    expect(another).not.toBe(restored);
    expect(await readdir(dirname(restored))).toHaveLength(3);
  });

  test("is found in persistent volumes of two kinds, and in no other", async () => {
    await using test = await world();
    const { snapshotter, scope } = test;
    const hostPath = object("v1", "PersistentVolume", "a", {
      spec: { hostPath: { path: "/data/a", type: "Directory" } },
    });
    const local = object("v1", "PersistentVolume", "b", {
      spec: { local: { path: "/data/b" } },
    });
    const csi = object("v1", "PersistentVolume", "c", { spec: { csi: { driver: "x" } } });
    expect(await Promise.all([hostPath, local, csi].map((pv) => snapshotter.getVolumeId(pv, scope)))).toEqual([
      "/data/a",
      "/data/b",
      "",
    ]);
    const moved = await snapshotter.setVolumeId(hostPath, "/data/new", scope);
    expect(moved["spec"]).toEqual({ hostPath: { path: "/data/new", type: "Directory" } });
    expect(hostPath["spec"]).toEqual({ hostPath: { path: "/data/a", type: "Directory" } });
    await expect(snapshotter.setVolumeId(csi, "/x", scope)).rejects.toMatchObject({ code: "InvalidArgument" });
  });
});

describe("a snapshot of a local volume", () => {
  test("can be canceled while it is made, and then cannot be restored", async () => {
    await using test = await world({ parallelFiles: "1" });
    const { scope, volumeId, snapshotter } = test;
    await fill(volumeId);
    const id = await test.take();
    await snapshotter.cancel(id, scope);
    const progress = await snapshotter.progress(id, scope);
    expect(progress).toMatchObject({ completed: true, error: "the snapshot was canceled" });
    expect(await readdir(join(test.root, id))).not.toContain("content");
    const input = { snapshotId: id, volumeType: "", volumeAZ: "" };
    await expect(snapshotter.createVolumeFromSnapshot(input, scope)).rejects.toMatchObject({
      code: "InvalidArgument",
      message: expect.stringContaining("Canceled"),
    });
  });

  test("waits for its turn, and can be canceled by another process then", async () => {
    await using test = await world({ parallelFiles: "1" });
    const { scope, volumeId, elsewhere } = test;
    await fill(volumeId);
    const ids = await Promise.all([test.take(), test.take(), test.take()]);
    const waiting = ids[2] as string;
    expect((await elsewhere.progress(waiting, scope)).started).toBe(undefined);
    await elsewhere.cancel(waiting, scope);
    const progress = await ended(elsewhere, waiting, scope);
    expect(progress.error).toBe("the snapshot was canceled");
    for (const id of ids.slice(0, 2)) expect((await ended(elsewhere, id, scope)).error).toBe(undefined);
  });

  test("that the server's stop interrupts says so to the next server", async () => {
    await using test = await world({ parallelFiles: "1" });
    const { scope, volumeId, elsewhere } = test;
    await fill(volumeId);
    const id = await test.take();
    await test.copies[Symbol.asyncDispose]();
    const { completed, error } = await elsewhere.progress(id, scope);
    expect([completed, error]).toEqual([true, "the server stopped while the snapshot was made"]);
  });

  test("whose process was killed never looks complete, and can be deleted", { timeout: 60_000 }, async () => {
    await using test = await world();
    const { scope, volumeId, elsewhere, root } = test;
    await fill(volumeId, 400);
    const script = join(import.meta.dirname, "test", "snapshot-in-child.ts");
    const child = spawn(process.execPath, [script, root, volumeId], { stdio: ["ignore", "pipe", "inherit"] });
    const id = await firstLine(child);
    await eventually(() => stat(join(root, id, "content.partial")));
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
    expect((await readdir(join(root, id))).sort()).toEqual(["content.partial", "state.json"]);
    const progress = await elsewhere.progress(id, scope);
    expect(progress).toMatchObject({ completed: true, error: expect.stringContaining("ended before it was complete") });
    const input = { snapshotId: id, volumeType: "", volumeAZ: "" };
    await expect(elsewhere.createVolumeFromSnapshot(input, scope)).rejects.toMatchObject({ code: "InvalidArgument" });
    await elsewhere.cancel(id, scope);
    expect((await elsewhere.progress(id, scope)).error).toBe("the snapshot was canceled");
    await elsewhere.deleteSnapshot(id, scope);
    expect(await readdir(root)).toEqual([]);
  });

  test("whose owner is silent for minutes counts as interrupted", async () => {
    await using test = await world({ parallelFiles: "1" });
    const { scope, volumeId, root } = test;
    await fill(volumeId);
    const id = await test.take();
    const later = fakeClock({ start: new Date(systemClock.now().getTime() + 600_000) });
    const unseen = { own: "x", hasEnded: async () => false };
    const reader = localVolumeSnapshotter({ copies: new SnapshotCopies(later), processes: unseen, clock: later });
    await reader.init({ root }, scope);
    expect((await reader.progress(id, scope)).completed).toBe(true);
    await test.snapshotter.deleteSnapshot(id, scope);
    expect(await readdir(root)).toEqual([]);
  });

  const refusals: Record<string, { volumeId: (folder: string) => string; code: string }> = {
    "a folder that is not there": { volumeId: (folder) => join(folder, "gone"), code: "NotFound" },
    "a file": { volumeId: (folder) => join(folder, "volumes", "file"), code: "InvalidArgument" },
    "a path with dots": { volumeId: (folder) => `${folder}/../x`, code: "InvalidArgument" },
    "a relative path": { volumeId: () => "data", code: "InvalidArgument" },
    "a folder that holds the snapshots": { volumeId: (folder) => folder, code: "InvalidArgument" },
  };
  for (const [name, { volumeId, code }] of Object.entries(refusals)) {
    test(`is refused of ${name}`, async () => {
      await using test = await world();
      await writeFile(join(test.folder, "volumes", "file"), "x");
      const input = { volumeId: volumeId(test.folder), volumeAZ: "", tags: {} };
      await expect(test.snapshotter.createSnapshot(input, test.scope)).rejects.toMatchObject({ code });
    });
  }

  test("has an ID that cannot lead out of the folder", async () => {
    await using test = await world();
    for (const id of ["../x", "snap-../../x", "", "snap-a/b"]) {
      await expect(async () => test.snapshotter.deleteSnapshot(id, test.scope)).rejects.toMatchObject({
        code: "InvalidArgument",
      });
    }
  });
});

test("a configuration that cannot work is refused", async () => {
  using scope = testScope();
  const options = { copies: new SnapshotCopies(systemClock), processes: await processMarks(), clock: systemClock };
  for (const config of [{}, { root: "relative" }, { root: "/x", rot: "y" }, { root: "/x", parallelFiles: "0" }]) {
    const init = localVolumeSnapshotter(options).init(config as Record<string, string>, scope);
    await expect(init).rejects.toMatchObject({ code: "InvalidArgument" });
  }
});

async function fill(folder: string, files = 60): Promise<void> {
  for (let index = 0; index < files; index++) await writeFile(join(folder, `${index}`), Buffer.alloc(mebibyte, index));
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error("the child has no output");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return (await lines.next()).value as string;
}
