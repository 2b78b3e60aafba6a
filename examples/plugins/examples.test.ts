import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Scope } from "@jibe/base";
import { startPlugin } from "@jibe/go-plugin";
import { formatReport, verifyPlugin } from "@jibe/plugin-sdk/verify";
import {
  errorFromPlugin,
  remoteBackupItemActionV2,
  remoteVolumeSnapshotterV2,
  veleroHandshake,
} from "@jibe/plugin-sdk/wire";
import { type TempDir, tempDir, testScope } from "@jibe/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const small = join(import.meta.dirname, "small/plugin.ts");
const complete = join(import.meta.dirname, "complete/plugin.ts");

describe("the example plugins", { timeout: 60_000 }, () => {
  let state: TempDir;
  beforeAll(async () => {
    state = await tempDir("example-plugins");
  });
  afterAll(() => state[Symbol.asyncDispose]());

  const startComplete = (scope: Scope) => {
    const env = { ...process.env, EXAMPLE_STATE_DIR: state.path, JIBE_PLUGIN_KINDS: "VolumeSnapshotterV2" };
    return startPlugin({ command: complete, env, handshake: veleroHandshake, errorFrom: errorFromPlugin }, scope);
  };

  test("keep the contract", async () => {
    using scope = testScope();
    const env = { ...process.env, EXAMPLE_STATE_DIR: state.path };
    const configs = {
      "example.io/folder-store": { root: state.path, bucket: "bucket" },
      "example.io/folder-volumes": { root: state.path },
    };
    for (const command of [small, complete]) {
      const report = await verifyPlugin(command, { env, configs }, scope);
      expect(report.ok, formatReport(report)).toBe(true);
      expect(report.results.filter(({ outcome }) => outcome === "skipped")).toEqual([]);
    }
  });

  test("carry operations from one process to the next", async () => {
    using scope = testScope();
    const backup = Buffer.from('{"metadata":{"name":"daily"},"spec":{}}');
    const labels = { "example.io/archive": "2" };
    const item = Buffer.from(JSON.stringify({ kind: "ConfigMap", metadata: { name: "c", namespace: "n", labels } }));
    const operationId = await (async () => {
      await using first = await startComplete(scope);
      const action = remoteBackupItemActionV2(first.channel, "example.io/archive");
      return (await action.execute(item, backup, scope)).operationId;
    })();
    await using second = await startComplete(scope);
    const action = remoteBackupItemActionV2(second.channel, "example.io/archive");
    expect(await action.progress(operationId, backup, scope)).toMatchObject({ completed: false, nCompleted: 1 });
    expect(await action.progress(operationId, backup, scope)).toMatchObject({ completed: true, nCompleted: 2 });
    await expect(action.progress("none", backup, scope)).rejects.toMatchObject({ code: "InvalidArgument" });
  });

  test("make snapshots step by step and volumes from them", async () => {
    using scope = testScope();
    await mkdir(join(state.path, "volumes/v1"), { recursive: true });
    for (const name of ["a", "b", "c"]) await writeFile(join(state.path, "volumes/v1", name), name);
    await using process = await startComplete(scope);
    const snapshotter = remoteVolumeSnapshotterV2(process.channel, "example.io/folder-volumes");
    await snapshotter.init({ root: state.path }, scope);
    const id = await snapshotter.createSnapshot({ volumeId: "v1", volumeAZ: "", tags: {} }, scope);
    expect(await snapshotter.progress(id, scope)).toMatchObject({ completed: false, nCompleted: 2, nTotal: 3 });
    expect(await snapshotter.progress(id, scope)).toMatchObject({ completed: true, nCompleted: 3 });
    const input = { snapshotId: id, volumeType: "folder", volumeAZ: "" };
    const volume = await snapshotter.createVolumeFromSnapshot(input, scope);
    expect(await readdir(join(state.path, "volumes", volume))).toEqual(["a", "b", "c"]);
  });
});
