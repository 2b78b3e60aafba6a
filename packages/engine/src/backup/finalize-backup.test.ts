import { gunzipSync } from "node:zlib";
import { AppError } from "@jibe/base";
import type { Backup } from "@jibe/plugin-sdk/contracts";
import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { backUp } from "../../test/backup-harness.ts";
import { configMap, namespace, pod, volume } from "../../test/builders.ts";
import { manualClock } from "../../test/manual-clock.ts";
import { type MemoryCluster, memoryCluster } from "../../test/memory-cluster.ts";
import { backupAction, memoryPlugins, snapshotter } from "../../test/memory-plugins.ts";
import { memoryScratch } from "../../test/memory-scratch.ts";
import type { MemoryStore } from "../../test/memory-store.ts";
import { gzippedJson } from "../layout/go-json.ts";
import { backupKeys } from "../layout/object-keys.ts";
import type { BackupOperation } from "../operations/item-operation.ts";
import type { RunPlugins, Snapshotter } from "../ports/plugins.ts";
import { finalizeBackup } from "./finalize-backup.ts";

const keys = backupKeys("b1");
const locations = [{ name: "default", provider: "example", config: {} }];

async function finalize(
  { store, cluster, status }: { store: MemoryStore; cluster: MemoryCluster; status: object },
  plugins: RunPlugins = memoryPlugins(),
) {
  using scope = testScope();
  const scratch = memoryScratch();
  const stored = JSON.parse(Buffer.from(store.objects.get(keys.metadata) ?? []).toString()) as Backup;
  const backup = { ...stored, status: { ...stored.status, ...status } };
  const clock = manualClock("2026-01-02T04:00:00Z");
  const ports = { store, cluster, plugins, scratch, clock, snapshotLocations: locations };
  try {
    return await finalizeBackup({ backup }, ports, scope);
  } finally {
    expect(scratch.open.size).toBe(0);
  }
}

async function endOperations(store: MemoryStore, end: (operation: BackupOperation) => object): Promise<void> {
  const bytes = store.objects.get(keys.itemOperations) ?? new Uint8Array();
  const operations = JSON.parse(gunzipSync(bytes).toString()) as BackupOperation[];
  const ended = operations.map((operation) => ({ ...operation, status: { ...operation.status, ...end(operation) } }));
  store.objects.set(keys.itemOperations, await gzippedJson(ended));
}

test("without operations only the metadata is rewritten", async () => {
  const { store, cluster, result } = await backUp({ objects: [namespace("a"), configMap("a/x")] });
  store.history.length = 0;
  const finalized = await finalize({ store, cluster, status: result.status });
  expect(finalized.phase).toBe("Completed");
  expect(store.history).toEqual([keys.metadata]);
  const { status } = JSON.parse(Buffer.from(store.objects.get(keys.metadata) ?? []).toString());
  expect(status).toMatchObject({ phase: "Completed", completionTimestamp: "2026-01-02T04:00:00Z" });
});

test("a backup with errors ends as PartiallyFailed", async () => {
  const { store, cluster } = await backUp({ objects: [namespace("a")] });
  const finalized = await finalize({ store, cluster, status: { phase: "FinalizingPartiallyFailed", errors: 2 } });
  expect(finalized.status).toMatchObject({ phase: "PartiallyFailed", errors: 2 });
});

/** A run whose action started an operation and wants its ConfigMap, and one that is new, updated at the end. */
async function runWithUpdates() {
  const phases: (string | undefined)[] = [];
  const copy = backupAction("example.io/copy", { includedResources: ["pods"] }, () => ({
    operationId: "op-1",
    itemsToUpdate: ["x", "new", "none"].map((name) => ({ groupResource: "configmaps", namespace: "a", name })),
  }));
  const watch = backupAction("example.io/watch", { includedResources: ["configmaps"] }, undefined, {
    execute: async (body, backup) => {
      phases.push(backup.status?.phase);
      return { body, additionalItems: [], operationId: "", itemsToUpdate: [] };
    },
  });
  const plugins = memoryPlugins({ backup: [copy, watch] });
  const cluster = memoryCluster({ objects: [namespace("a"), pod("a/one"), configMap("a/x"), configMap("a/other")] });
  const outcome = await backUp({ cluster, plugins });
  await endOperations(outcome.store, () => ({ phase: "Completed" }));
  cluster.add({ ...configMap("a/x"), data: { key: "updated" } }, configMap("a/new"));
  return { outcome, cluster, plugins, phases };
}

test("items that operations named are read again, run through the actions and replaced or added", async () => {
  const { outcome, cluster, plugins, phases } = await runWithUpdates();
  const status = { ...outcome.result.status, phase: "Finalizing" };
  const finalized = await finalize({ store: outcome.store, cluster, status }, plugins);
  expect(await outcome.paths()).toEqual([
    "configmaps a/new",
    "configmaps a/other",
    "configmaps a/x",
    "namespaces a",
    "pods a/one",
  ]);
  expect((await outcome.item("configmaps", "x", "a"))["data"]).toEqual({ key: "updated" });
  expect(phases.slice(-2)).toEqual(["Finalizing", "Finalizing"]);
  expect(finalized.archiveBytes).toBeGreaterThan(0);
  expect(finalized.status).toMatchObject({ phase: "PartiallyFailed", errors: 1 });
  expect(outcome.results().errors.namespaces?.["a"]?.[0]).toContain("name: /none message: /Error getting item");
});

test("an action that starts an operation while finalizing costs its item alone", async () => {
  const { outcome, cluster } = await runWithUpdates();
  const start = backupAction("example.io/start", { includedResources: ["configmaps"] }, (item) => ({
    operationId: item.metadata.name === "x" ? "again" : "",
  }));
  const status = { ...outcome.result.status, phase: "Finalizing" };
  await finalize({ store: outcome.store, cluster, status }, memoryPlugins({ backup: [start] }));
  expect((await outcome.item("configmaps", "x", "a"))["data"]).toEqual({ key: "value" });
  expect(await outcome.paths()).toContain("configmaps a/new");
  expect(JSON.stringify(outcome.results().errors)).toContain("created operation during finalize");
});

test("the old archive stays when the new one cannot be uploaded, and it can be tried again", async () => {
  const { outcome, cluster, plugins } = await runWithUpdates();
  const before = outcome.store.objects.get(keys.contents);
  const status = { ...outcome.result.status, phase: "Finalizing" };
  const broken: MemoryStore = {
    ...outcome.store,
    put: async (key, body, scope) => {
      if (key === keys.contents) throw new AppError("Unavailable", "connection reset");
      await outcome.store.put(key, body, scope);
    },
  };
  await expect(finalize({ store: broken, cluster, status }, plugins)).rejects.toThrow("cannot upload");
  expect(outcome.store.objects.get(keys.contents)).toBe(before);
  await finalize({ store: outcome.store, cluster, status }, plugins);
  expect(await outcome.paths()).toContain("configmaps a/new");
});

const damages: Record<string, (store: MemoryStore) => unknown> = {
  gone: (store) => store.objects.delete(keys.contents),
  "cut off": (store) =>
    store.objects.set(keys.contents, (store.objects.get(keys.contents) ?? new Uint8Array()).subarray(0, 40)),
};

for (const [name, damage] of Object.entries(damages)) {
  test(`a backup whose archive is ${name} ends as failed instead of being tried for ever`, async () => {
    const { outcome, cluster, plugins } = await runWithUpdates();
    damage(outcome.store);
    const status = { ...outcome.result.status, phase: "Finalizing" };
    const finalized = await finalize({ store: outcome.store, cluster, status }, plugins);
    expect(finalized.phase).toBe("Failed");
    expect(finalized.status.failureReason).toMatch(/^the backup's archive .*b1\.tar\.gz cannot be read any more: /);
    expect(Buffer.from(outcome.store.objects.get(keys.metadata) ?? []).toString()).toContain('"phase": "Failed"');
  });
}

const snapshots: Record<string, { end: object; phase: string; result: string; deleted: string[] }> = {
  "that completed": { end: { phase: "Completed" }, phase: "Completed", result: "succeeded", deleted: [] },
  "that failed": { end: { phase: "Failed", error: "x" }, phase: "Failed", result: "failed", deleted: ["snap-1"] },
};
for (const [name, { end, phase, result, deleted }] of Object.entries(snapshots)) {
  test(`a snapshot ${name} is written down as such`, async () => {
    const gone: string[] = [];
    const taker: Partial<Snapshotter> = {
      asynchronous: true,
      createSnapshot: async () => "snap-1",
      deleteSnapshot: async (id) => void gone.push(id),
    };
    const plugins = memoryPlugins({ snapshotters: { example: snapshotter("example.io/disk", taker) } });
    const outcome = await backUp({
      objects: [volume("pv-1", "a/data")],
      plugins,
      ports: { snapshotLocations: locations },
    });
    await endOperations(outcome.store, () => end);
    const { store, cluster } = outcome;
    const finalized = await finalize({ store, cluster, status: { phase: "Finalizing" } }, plugins);
    expect(outcome.json("volumeSnapshots")).toMatchObject([{ status: { providerSnapshotID: "snap-1", phase } }]);
    expect(outcome.json("volumeInfo")).toMatchObject([{ result, nativeSnapshotInfo: { Phase: phase } }]);
    expect(finalized.status.volumeSnapshotsCompleted).toBe(phase === "Completed" ? 1 : undefined);
    expect(gone).toEqual(deleted);
  });
}
