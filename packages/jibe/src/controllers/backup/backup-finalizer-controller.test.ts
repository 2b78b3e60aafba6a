import { gzipSync } from "node:zlib";
import type { Scope } from "@jibe/base";
import { type BackupAction, backupKeys, type ObjectStore, putJson } from "@jibe/engine";
import { testScope } from "@jibe/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { annotations } from "../../api/names.ts";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup } from "../../api/resources.ts";
import { ActiveRuns } from "../active-runs.ts";
import { cancelController } from "../cancel/cancel-controller.ts";
import { type FinalizingWorld, finalizingWorld, hang } from "../test/finalizing-world.ts";
import { backupFinalizerController } from "./backup-finalizer-controller.ts";
import { storeBackup } from "./store-backup.ts";

const scope = testScope();
const nothingPolled = { isPolling: () => false, interrupt: async () => {} };
const oldArchive = "the archive that the run has stored";
let world: FinalizingWorld;
beforeAll(async () => {
  world = await finalizingWorld(scope);
}, 60_000);
afterAll(() => world[Symbol.asyncDispose]());

/** A backup whose operation has ended and wants its item taken again. */
async function finalizing(name: string, phase: "Finalizing" | "FinalizingPartiallyFailed"): Promise<Backup> {
  const { backups, store } = world;
  const head = { apiVersion: "velero.io/v1", kind: "Backup", metadata: { name } };
  const made = await backups.create({ ...head, spec: { storageLocation: "default" } }, scope);
  const backup = await backups.patchUnchanged(made, { status: { phase } }, scope);
  const item = { Group: "", Resource: "configmaps", Namespace: "velero", Name: "changed" };
  const spec = { backupItemAction: "example.io/copy", operationID: "op", resourceIdentifier: item };
  const operation = { spec: { ...spec, postOperationItems: [item] }, status: { phase: "Completed" } };
  const { itemOperations, contents, log } = backupKeys(name);
  await putJson(store, itemOperations, [operation], scope);
  await put(contents, Buffer.from(oldArchive));
  await put(log, gzipSync("the run's own line\n"));
  await storeBackup(backup, store, scope);
  return backup;
}

const put = (key: string, bytes: Uint8Array) =>
  world.store.put(
    key,
    async function* () {
      yield bytes;
    },
    scope,
  );

function controllersWith({ execute, store }: Pick<BackupAction, "execute"> & { readonly store?: ObjectStore }) {
  const action: BackupAction = {
    name: "example.io/copy",
    appliesTo: async () => ({ includedResources: ["configmaps"] }),
    execute,
    progress: async () => ({ completed: true }),
    cancel: async () => {},
  };
  const { backups } = world;
  const runs = { active: new ActiveRuns(), finalizing: new ActiveRuns() };
  const surroundings = world.surroundings({ action, ...(store ? { store } : {}) });
  const cancel = { kind: "backup", type: veleroTypes.backup, resources: backups, operations: nothingPolled } as const;
  return {
    finalizer: backupFinalizerController({
      backups,
      world: surroundings,
      ...runs,
      settle: async () => ({}),
      onPhase: () => {},
    }),
    canceler: cancelController({ ...cancel, ...runs }),
  };
}

/** Finalizes a backup whose plugin hangs, and cancels it then. */
async function cancelInMidst(name: string, request: Record<string, unknown>): Promise<void> {
  const reached = Promise.withResolvers<void>();
  const execute = (_body: unknown, _backup: unknown, inner: Scope) => {
    reached.resolve();
    return hang(inner);
  };
  const { finalizer, canceler } = controllersWith({ execute });
  const ending = finalizer.reconcile(name, scope);
  await Promise.race([reached.promise, ending]);
  await world.backups.patch(name, request, scope);
  await canceler.reconcile(name, scope);
  await ending;
}

const statusOf = async (name: string) => (await world.backups.get(name, scope)).status;
const storedStatusOf = async (name: string) =>
  (JSON.parse((await world.bytes(backupKeys(name).metadata)).toString()) as Backup).status;
const canceled = { phase: "Failed", failureReason: "Canceled by user", completionTimestamp: expect.any(String) };
const byField = { spec: { cancel: true } };
const byAnnotation = { metadata: { annotations: { [annotations.cancel]: "true" } } };

describe("a backup that is canceled while it is being finalized", { timeout: 60_000 }, () => {
  for (const phase of ["Finalizing", "FinalizingPartiallyFailed"] as const) {
    for (const [how, request] of Object.entries({ field: byField, annotation: byAnnotation })) {
      test(`by ${how} in phase ${phase} fails although a plugin hangs, with its old archive and its files`, async () => {
        const name = `${phase}-${how}`.toLowerCase();
        await finalizing(name, phase);
        await cancelInMidst(name, request);
        expect(await statusOf(name)).toMatchObject(canceled);
        expect(await storedStatusOf(name)).toEqual(await statusOf(name));
        expect((await world.bytes(backupKeys(name).contents)).toString()).toBe(oldArchive);
        const log = await world.text(backupKeys(name).log);
        expect(log).toMatch(/^the run's own line\n.*msg="backup failed".*reason="Canceled by user"/);
      });
    }
  }

  test("before a server has looked at it fails without asking a plugin", async () => {
    await finalizing("early", "Finalizing");
    await world.backups.patch("early", byField, scope);
    const execute = async () => expect.unreachable();
    await controllersWith({ execute }).finalizer.reconcile("early", scope);
    expect(await statusOf("early")).toMatchObject(canceled);
  });

  test("keeps the end that is already in its store", async () => {
    const backup = await finalizing("late", "Finalizing");
    const status = { phase: "Completed", completionTimestamp: "2026-01-02T03:04:05Z" } as const;
    await storeBackup({ ...backup, status }, world.store, scope);
    await world.backups.patch("late", byField, scope);
    await controllersWith({ execute: async () => expect.unreachable() }).finalizer.reconcile("late", scope);
    expect(await statusOf("late")).toMatchObject(status);
  });

  test("ends as finished once its end is being written", async () => {
    await finalizing("written", "Finalizing");
    await putJson(world.store, backupKeys("written").itemOperations, [], scope);
    const writing = Promise.withResolvers<void>();
    const mayWrite = Promise.withResolvers<void>();
    const slow: ObjectStore = {
      ...world.store,
      put: async (key, body, inner) => {
        writing.resolve();
        await Promise.race([mayWrite.promise, hang(inner)]);
        await world.store.put(key, body, inner);
      },
    };
    const { finalizer, canceler } = controllersWith({ execute: async () => expect.unreachable(), store: slow });
    const ending = finalizer.reconcile("written", scope);
    await writing.promise;
    await world.backups.patch("written", byField, scope);
    await canceler.reconcile("written", scope);
    mayWrite.resolve();
    await ending;
    expect(await statusOf("written")).toMatchObject({ phase: "Completed" });
    expect(await storedStatusOf("written")).toEqual(await statusOf("written"));
  });

  test("is brought to its end when its resource is gone altogether", async () => {
    await finalizing("removed", "Finalizing");
    const reached = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    const execute: BackupAction["execute"] = async (body, _backup, inner) => {
      reached.resolve();
      await Promise.race([mayGoOn.promise, hang(inner)]);
      return { body, additionalItems: [], operationId: "", itemsToUpdate: [] };
    };
    const { finalizer, canceler } = controllersWith({ execute });
    const ending = finalizer.reconcile("removed", scope);
    await reached.promise;
    await world.backups.delete("removed", scope);
    await canceler.reconcile("removed", scope);
    mayGoOn.resolve();
    await expect(ending).rejects.toThrow("not found");
    expect((await storedStatusOf("removed"))?.phase).not.toBe("Finalizing");
  });
});
