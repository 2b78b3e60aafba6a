import { AppError } from "@jibe/base";
import { bodyFromBytes } from "@jibe/engine";
import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { builtInActions } from "./built-in-actions.ts";
import { inProcessBackupAction, inProcessDeleteAction, inProcessRestoreAction } from "./in-process-action.ts";
import { clusterOf } from "./test/cluster-of.ts";
import { backupNamed, restoreWith, scope } from "./test/execute.ts";

const names = (actions: readonly { readonly name: string }[]) =>
  actions.map(({ name }) => name.replace("velero.io/", ""));
const make = (features: string[] = []) => builtInActions({ cluster: clusterOf([]), namespace: "velero", features });

test("built-in actions have Velero's names and order", () => {
  const { backup, block, restore } = make();
  expect(names(backup)).toEqual(["crd-remap-version", "pod", "pv", "service-account"]);
  expect(names(block)).toEqual(["pod", "pvc", "service-account"]);
  expect(names(restore)).toEqual([
    "add-pvc-from-pod",
    "admission-webhook-configuration",
    "apiservice",
    "change-image-name",
    "change-storage-class",
    "cluster-role-bindings",
    "crd-preserve-fields",
    "init-restore-hook",
    "job",
    "pod",
    "pod-volume-restore",
    "pvc",
    "role-bindings",
    "secret",
    "service",
    "service-account",
  ]);
});

test("definitions are not remapped when every version is stored anyway", () => {
  expect(names(make(["EnableAPIGroupVersions"]).backup)).toEqual(["pod", "pv", "service-account"]);
});

test("every built-in action says what it applies to", async () => {
  const { backup, block, restore } = make();
  for (const action of [...backup, ...block, ...restore]) {
    expect((await action.appliesTo(scope)).includedResources?.length).toBeGreaterThan(0);
  }
});

test("an item that no action changes keeps its very body", async () => {
  const pod = bodyFromBytes(
    Buffer.from('{"kind":"Pod",  "apiVersion":"v1","metadata":{"name":"p"},"n":9007199254740993}'),
  );
  const { backup, restore } = make();
  const action = backup.find(({ name }) => name === "velero.io/pod");
  expect((await action?.execute(pod, backupNamed("b"), scope))?.body).toBe(pod);
  const restorePod = restore.find(({ name }) => name === "velero.io/pod");
  const input = { body: pod, bodyFromBackup: pod, restore: restoreWith({}) };
  expect((await restorePod?.execute(input, scope))?.body).toBe(pod);
});

test("an error says which plugin it is from and keeps its code", async () => {
  const failing = inProcessBackupAction("example.io/x", {
    appliesTo: async () => ({}),
    execute: async () => {
      throw new AppError("NotFound", "no such thing");
    },
  });
  const body = bodyFromBytes(Buffer.from('{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"}}'));
  await expect(failing.execute(body, backupNamed("b"), scope)).rejects.toMatchObject({
    code: "NotFound",
    message: 'plugin "example.io/x" failed',
    cause: { message: "no such thing" },
  });
  await expect(failing.progress("id", backupNamed("b"), scope)).rejects.toMatchObject({ code: "Unsupported" });
});

test("being stopped is no error of the plugin", async () => {
  using stopped = testScope();
  const reason = new Error("stop");
  const action = inProcessDeleteAction("example.io/x", {
    appliesTo: async () => ({}),
    execute: async () => {
      stopped.abort(reason);
      throw new Error("interrupted");
    },
  });
  const body = bodyFromBytes(Buffer.from('{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"}}'));
  await expect(action.execute(body, backupNamed("b"), stopped)).rejects.toBe(reason);
});

test("what a restore action leaves out has its default", async () => {
  const action = inProcessRestoreAction("example.io/x", {
    appliesTo: async () => ({}),
    execute: async ({ item }) => ({ item: { ...item, changed: true } }),
  });
  const body = bodyFromBytes(Buffer.from('{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"}}'));
  const result = await action.execute({ body, bodyFromBackup: body, restore: restoreWith({}) }, scope);
  expect(result).toMatchObject({
    additionalItems: [],
    skipRestore: false,
    operationId: "",
    waitForAdditionalItems: false,
    additionalItemsReadyTimeoutMs: 0,
  });
  expect(result.body.object["changed"]).toBe(true);
  expect(await action.areAdditionalItemsReady([], restoreWith({}), scope)).toBe(true);
});
