import { type Scope, silentLogger } from "@jibe/base";
import { expect, expectTypeOf, test } from "vitest";
import type { Backup, KubernetesObject, Restore } from "../contracts/index.ts";
import type { Plugin } from "../plugin.ts";
import { type BackupItemActionDefinition, backupItemAction } from "./backup-item-action.ts";
import {
  operationDone,
  operationFailed,
  operationPending,
  operationRunning,
  withItemsWait,
  withOperation,
  withoutRestore,
} from "./outputs.ts";
import { restoreItemAction } from "./restore-item-action.ts";
import { volumeSnapshotter } from "./volume-snapshotter.ts";

const scope: Scope = { signal: new AbortController().signal, log: silentLogger };
const item: KubernetesObject = { apiVersion: "v1", kind: "Pod", metadata: { name: "n" } };
const backup: Backup = { ...item, spec: {} };
const restore: Restore = { ...item, spec: {} };

/** Made, never called: whether these compile is the test, and the type checker runs it. */
export const mustNotCompile = {
  operationWithoutProgress: () =>
    // @ts-expect-error an operation needs progress and cancel
    backupItemAction({
      execute: (item) => ({ item, operationId: "op" }),
    }),
  operationWithoutCancel: () =>
    // @ts-expect-error an operation needs cancel, too
    backupItemAction({
      execute: (item) => ({ item, operationId: "op" }),
      progress: () => operationDone(),
    }),
  itemsToUpdateWithoutOperation: () =>
    // @ts-expect-error there is nothing after which to update them
    backupItemAction({
      execute: (item) => ({ item, itemsToUpdate: [{ groupResource: "pods", name: "x" }] }),
    }),
  progressWithoutWord: () =>
    backupItemAction({
      execute: (item) => ({ item, operationId: "op" }),
      // @ts-expect-error progress must say whether it is completed
      progress: () => ({ nTotal: 4 }),
      cancel() {},
    }),
  restoreOperationWithoutProgress: () =>
    // @ts-expect-error an operation needs progress and cancel
    restoreItemAction({
      execute: ({ item }) => withOperation({ item }, "op"),
    }),
  waitWithoutReadiness: () =>
    // @ts-expect-error waiting needs someone to ask
    restoreItemAction({
      execute: ({ item }) => withItemsWait({ item }),
    }),
  cancelAlone: () =>
    // @ts-expect-error cancel without progress
    volumeSnapshotter({
      init() {},
      createVolumeFromSnapshot: () => "",
      getVolumeInfo: () => ({ volumeType: "" }),
      createSnapshot: () => "",
      deleteSnapshot() {},
      getVolumeId: () => "",
      setVolumeId: (volume) => volume,
      cancel() {},
    }),
};

async function execute(plugin: Plugin): Promise<unknown> {
  if (plugin.kind === "BackupItemAction" || plugin.kind === "BackupItemActionV2") {
    return plugin.contract.execute(structuredClone(item), backup, scope);
  }
  if (plugin.kind === "RestoreItemAction" || plugin.kind === "RestoreItemActionV2") {
    return plugin.contract.execute({ item, itemFromBackup: item, restore }, scope);
  }
  throw new Error("no action");
}

test("an action's item has the type its author gives it", () => {
  interface Claim extends KubernetesObject {
    spec: { volumeName: string };
  }
  expectTypeOf<Parameters<BackupItemActionDefinition<Claim>["execute"]>[0]["spec"]["volumeName"]>().toBeString();
  expect(backupItemAction<Claim>({ execute: (claim) => void claim.spec.volumeName }).kind).toBe("BackupItemAction");
});

test("an action that returns nothing keeps the item", async () => {
  expect(await execute(backupItemAction({ execute() {} }))).toEqual({ item });
  const changing = backupItemAction({
    execute(given) {
      given.metadata.name = "changed";
    },
  });
  expect(await execute(changing)).toMatchObject({ item: { metadata: { name: "changed" } } });
});

test("version 2 is only announced for what needs it", () => {
  const operations = { progress: () => operationDone(), cancel() {} };
  expect(backupItemAction({ execute() {} }).kind).toBe("BackupItemAction");
  expect(backupItemAction({ execute() {}, ...operations }).kind).toBe("BackupItemActionV2");
  expect(restoreItemAction({ execute() {} }).kind).toBe("RestoreItemAction");
  expect(restoreItemAction({ execute() {}, ...operations }).kind).toBe("RestoreItemActionV2");
  expect(restoreItemAction({ execute() {}, areAdditionalItemsReady: () => true }).kind).toBe("RestoreItemActionV2");
});

test("authors without types are told, too", async () => {
  const untyped = { execute: () => ({ operationId: "op" }) } as unknown as BackupItemActionDefinition;
  await expect(execute(backupItemAction(untyped))).rejects.toThrow("has no progress and cancel");
  await expect(execute(restoreItemAction(untyped as never))).rejects.toThrow("has no progress and cancel");
});

test("a restore action without operations says so when it is asked", async () => {
  const plugin = restoreItemAction({ execute: () => withItemsWait({}), areAdditionalItemsReady: () => false });
  if (plugin.kind !== "RestoreItemActionV2") throw new Error("not version 2");
  await expect(plugin.contract.progress("x", restore, scope)).rejects.toMatchObject({ code: "Unsupported" });
  await plugin.contract.cancel("x", restore, scope);
  expect(await plugin.contract.areAdditionalItemsReady([], restore, scope)).toBe(false);
});

test("outputs and progress are built by name", () => {
  expect(withoutRestore(item)).toEqual({ item, skipRestore: true });
  expect(withItemsWait({ item }, { timeoutMs: 5 })).toEqual({
    item,
    waitForAdditionalItems: true,
    additionalItemsReadyTimeoutMs: 5,
  });
  expect(operationPending("queued")).toEqual({ completed: false, description: "queued" });
  const started = new Date(5);
  expect(operationRunning({ started, nTotal: 2 })).toEqual({ completed: false, started, nTotal: 2 });
  expect(operationFailed("no space", { nTotal: 2 })).toEqual({ completed: true, error: "no space", nTotal: 2 });
  expect(operationFailed("")).toEqual({ completed: true, error: "operation failed" });
});
