import { AppError } from "@jibe/base";
import { testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { configMap, object, pod, volume } from "../../test/builders.ts";
import { restoreAction } from "../../test/memory-plugins.ts";
import { restoreWorld, runInWorld } from "../../test/restore-world.ts";
import { restoreKeys } from "../layout/object-keys.ts";
import { runRestore } from "./run-restore.ts";

describe("actions", () => {
  test("run in order on what the one before made; the backup's copy stays as it was", async () => {
    const seen: unknown[] = [];
    const step = (name: string) =>
      restoreAction(name, { includedResources: ["cm"] }, (item, { bodyFromBackup }) => {
        seen.push([name, item["data"], bodyFromBackup.object["data"], item["status"]]);
        return { item: { ...item, data: { ...(item["data"] as object), [name]: "1" } } };
      });
    const world = await runInWorld({
      backedUp: [{ ...configMap("shop/x"), status: { s: 1 } }],
      actions: [step("a/a"), step("b/b")],
    });
    expect(seen).toEqual([
      ["a/a", { key: "value" }, { key: "value" }, undefined],
      ["b/b", { key: "value", "a/a": "1" }, { key: "value" }, undefined],
    ]);
    expect(world.cluster.read("configmaps", "x", "shop")?.["data"]).toEqual({ key: "value", "a/a": "1", "b/b": "1" });
  });

  const selectors: Record<string, { selector: Parameters<typeof restoreAction>[1]; want: string[] }> = {
    "everything without a selector": { selector: {}, want: ["pods ns-1/p", "pods ns-2/q", "pv v"] },
    "a type by its short name": { selector: { includedResources: ["po"] }, want: ["pods ns-1/p", "pods ns-2/q"] },
    "no type that is excluded": { selector: { excludedResources: ["pods"] }, want: ["pv v"] },
    "the target namespace, not cluster-scoped items": {
      selector: { includedNamespaces: ["mapped"] },
      want: ["pods ns-2/q"],
    },
    "items with the labels": { selector: { labelSelector: "a=b" }, want: ["pods ns-1/p"] },
    "nothing of a type nobody knows": { selector: { includedResources: ["unresolvable"] }, want: [] },
  };
  for (const [name, { selector, want }] of Object.entries(selectors)) {
    test(`see ${name}`, async () => {
      const seen: string[] = [];
      const action = restoreAction("x/y", selector, ({ kind, metadata }) => {
        seen.push(kind === "Pod" ? `pods ${metadata.namespace}/${metadata.name}` : `pv ${metadata.name}`);
        return {};
      });
      const retained = volume("v", "ns-1/c");
      await runInWorld({
        backedUp: [
          pod("ns-1/p", { metadata: { labels: { a: "b" } } }),
          pod("ns-2/q"),
          { ...retained, spec: { ...(retained["spec"] as object), persistentVolumeReclaimPolicy: "Retain" } },
        ],
        actions: [action],
        spec: { namespaceMapping: { "ns-2": "mapped" } },
      });
      expect(seen.sort()).toEqual(want);
    });
  }

  test("an action that fails, returns rubbish or takes the name away fails its item alone", async () => {
    const action = restoreAction("x/y", { includedResources: ["cm"] }, (item) => {
      if (item.metadata.name === "bad") throw new AppError("Unavailable", "plugin x/y died");
      return item.metadata.name === "nameless" ? { item: { ...item, metadata: {} as never } } : {};
    });
    const rubbish = {
      ...restoreAction("x/rubbish", { includedResources: ["cm"] }),
      execute: async (input: { body: { object: { metadata: { name: string } } } }) => ({
        body: {
          bytes: new Uint8Array(),
          get object(): never {
            throw new AppError("DataLoss", `item is not valid JSON (${input.body.object.metadata.name})`);
          },
        },
        additionalItems: [],
        skipRestore: false,
        operationId: "",
        waitForAdditionalItems: false,
        additionalItemsReadyTimeoutMs: 0,
      }),
    };
    const world = await runInWorld({
      backedUp: ["bad", "nameless", "good"].map((name) => configMap(`shop/${name}`)),
      actions: [action],
    });
    expect(world.results.errors).toEqual({
      namespaces: {
        shop: expect.arrayContaining([
          "error preparing configmaps/shop/bad: plugin x/y died",
          "error preparing configmaps/shop/nameless: the plugin returned an item without a name",
        ]),
      },
    });
    expect(world.cluster.read("configmaps", "good", "shop")).toBeDefined();
    const broken = await runInWorld({
      backedUp: [configMap("shop/x"), object("v1", "Secret", "shop/s")],
      actions: [rubbish as never],
    });
    expect(broken.results.errors.namespaces?.["shop"]).toEqual([
      "error preparing configmaps/shop/x: item is not valid JSON (x)",
    ]);
    expect(broken.cluster.read("secrets", "s", "shop")).toBeDefined();
  });

  test("an action that cannot say what it wants ends the restore before anything is written", async () => {
    const action = {
      ...restoreAction("x/y", {}),
      appliesTo: async () => Promise.reject(new AppError("Unavailable", "plugin x/y died")),
    };
    const world = await runInWorld({ backedUp: [configMap("shop/x")], actions: [action] });
    expect(world.status).toMatchObject({ phase: "FinalizingPartiallyFailed", errors: 1 });
    expect(world.results.errors).toEqual({ velero: ["plugin x/y died"] });
    expect(world.cluster.calls.filter((call) => call.startsWith("create"))).toEqual([]);
  });

  test("skipRestore ends the actions and drops additional items; its operation is kept", async () => {
    const skip = restoreAction("x/skip", { includedResources: ["cm"] }, () => ({
      skipRestore: true,
      operationId: "op-1",
      additionalItems: [{ groupResource: "secrets", namespace: "shop", name: "s" }],
      waitForAdditionalItems: true,
    }));
    const never = restoreAction("x/z", { includedResources: ["cm"] }, () => {
      throw new Error("must not run");
    });
    const world = await runInWorld({
      backedUp: [configMap("shop/x")],
      entries: {},
      actions: [skip, never],
      spec: { namespaceMapping: { shop: "target" } },
    });
    expect(world.ledger()).toEqual(["configmaps target/x skipped a plugin left it out", "namespaces target created"]);
    expect(world.operations).toMatchObject([
      {
        spec: {
          restoreName: "r1",
          restoreUID: "uid-of-r1",
          restoreItemAction: "x/skip",
          operationID: "op-1",
          resourceIdentifier: { Group: "", Resource: "configmaps", Namespace: "target", Name: "x" },
        },
        status: { phase: "New" },
      },
    ]);
    expect(world.status).toMatchObject({ phase: "WaitingForPluginOperations", restoreItemOperationsAttempted: 1 });
    expect(JSON.parse(world.file("itemOperations"))).toHaveLength(1);
  });

  test("operations are saved, all of them, before the first file says that the run is over", async () => {
    using scope = testScope();
    const start = restoreAction("x/start", { includedResources: ["cm"] }, ({ metadata }) => ({
      operationId: metadata.name,
    }));
    const backedUp = ["a", "b", "c"].map((name) => configMap(`shop/${name}`));
    const world = await restoreWorld({ backedUp, actions: [start] }, scope);
    const saved: { readonly operations: number; readonly isLogged: boolean }[] = [];
    const saveOperations = async (operations: readonly unknown[]) => {
      saved.push({ operations: operations.length, isLogged: world.store.objects.has(restoreKeys("r1").log) });
    };
    await runRestore(world.request, { ...world.ports, saveOperations }, scope);
    expect(saved.at(-1)).toEqual({ operations: 3, isLogged: false });
  });

  test("operations are asked about once; one that failed is an error", async () => {
    const start = (id: string) => () => ({ operationId: id });
    const done = restoreAction("x/done", { includedResources: ["cm"] }, start("a"), {
      progress: async () => ({ completed: true }),
    });
    const bad = restoreAction("x/bad", { includedResources: ["cm"] }, start("b"), {
      progress: async () => ({ completed: true, error: "disk full" }),
    });
    const world = await runInWorld({ backedUp: [configMap("shop/x")], actions: [done, bad] });
    expect(world.results.errors.velero).toEqual([
      expect.stringMatching(/^error from restore item operation: disk full/),
    ]);
    expect(world.status).toMatchObject({
      phase: "FinalizingPartiallyFailed",
      restoreItemOperationsAttempted: 2,
      restoreItemOperationsCompleted: 1,
      restoreItemOperationsFailed: 1,
    });
  });

  test("CSI actions run only when the feature is on", async () => {
    const seen: string[] = [];
    const action = restoreAction("velero.io/csi-pvc-restorer", {}, ({ metadata }) => {
      seen.push(metadata.name);
      return {};
    });
    await runInWorld({ backedUp: [configMap("shop/x")], actions: [action] });
    expect(seen).toEqual([]);
    await runInWorld({ backedUp: [configMap("shop/x")], actions: [action], settings: { enableCsi: true } });
    expect(seen).toEqual(["x"]);
  });
});
