import { AppError, systemClock } from "@jibe/base";
import type { ResourceSelector } from "@jibe/plugin-sdk/contracts";
import { describe, expect, test } from "vitest";
import { backUp } from "../../test/backup-harness.ts";
import { configMap, namespace, object, pod, volume } from "../../test/builders.ts";
import { memoryCluster } from "../../test/memory-cluster.ts";
import { backupAction, blockAction, memoryPlugins, watching } from "../../test/memory-plugins.ts";
import { memoryStore } from "../../test/memory-store.ts";
import { bodyFromBytes } from "../item/item-body.ts";

const objects = [
  namespace("a"),
  namespace("b"),
  pod("a/one"),
  pod("b/two", { metadata: { labels: { app: "shop" } } }),
  volume("pv-1", "a/data"),
];

const selectors: Record<string, { selector: ResourceSelector; want: string[] }> = {
  "everything without a selector": { selector: {}, want: ["a", "b", "one", "pv-1", "two"] },
  "one namespaced type": { selector: { includedResources: ["pods"] }, want: ["one", "two"] },
  "a type by its short name": { selector: { includedResources: ["po"] }, want: ["one", "two"] },
  "one cluster-scoped type": { selector: { includedResources: ["persistentvolumes"] }, want: ["pv-1"] },
  "one namespace, and nothing cluster-scoped": { selector: { includedNamespaces: ["a"] }, want: ["one"] },
  "type and namespace": { selector: { includedResources: ["pods"], includedNamespaces: ["b"] }, want: ["two"] },
  "a label": { selector: { labelSelector: "app=shop" }, want: ["two"] },
  "nothing for a type that nobody knows": { selector: { includedResources: ["unheardof"] }, want: [] },
  "all but an excluded type": { selector: { excludedResources: ["pods", "namespaces"] }, want: ["pv-1"] },
};
describe("an action sees", () => {
  for (const [name, { selector, want }] of Object.entries(selectors)) {
    test(name, async () => {
      const seen: string[] = [];
      const watch = watching(selector, (item) => seen.push(item.metadata.name));
      const outcome = await backUp({ objects, plugins: memoryPlugins({ backup: [watch] }) });
      expect(seen.sort()).toEqual(want);
      expect(await outcome.paths()).toHaveLength(objects.length);
    });
  }
});

test("actions run in order, each on what the one before returned, by the labels as collected", async () => {
  const mark = (name: string) =>
    backupAction(name, { includedResources: ["pods"], labelSelector: "!marked" }, (item) => ({
      item: {
        ...item,
        metadata: { ...item.metadata, labels: { marked: `${item.metadata.labels?.["marked"] ?? ""}${name} ` } },
      },
    }));
  const plugins = memoryPlugins({ backup: [mark("first"), mark("second")] });
  const outcome = await backUp({ objects: [namespace("a"), pod("a/one")], plugins });
  expect((await outcome.item("pods", "one", "a")).metadata.labels).toEqual({ marked: "first second " });
});

test("a new name and namespace reach content and path; lists keep the item's own name", async () => {
  const rename = backupAction("example.io/rename", { includedResources: ["pods"] }, (item) => ({
    item: { ...item, metadata: { ...item.metadata, name: "renamed", namespace: "moved" } },
  }));
  const plugins = memoryPlugins({ backup: [rename] });
  const outcome = await backUp({ objects: [namespace("a"), pod("a/one")], plugins });
  expect(await outcome.paths()).toEqual(["namespaces a", "pods moved/renamed"]);
  expect(outcome.json("resourceList")).toMatchObject({ "v1/Pod": ["a/one"] });
});

test("an item that no action changes keeps its bytes, large numbers included", async () => {
  const cluster = memoryCluster({ objects: [namespace("a")] });
  const bytes =
    '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","namespace":"a"},"n":12345678901234567890,"f":1.0}';
  const listed = { bytes: new TextEncoder().encode(bytes), name: "x", namespace: "a", labels: {} };
  const raw: typeof cluster = {
    ...cluster,
    listPages: (type, options, scope) =>
      type.resource === "configmaps"
        ? (async function* () {
            yield [listed];
          })()
        : cluster.listPages(type, options, scope),
  };
  const noop = backupAction("example.io/noop", {});
  for (const backup of [[], [noop]]) {
    const outcome = await backUp({ cluster: raw, plugins: memoryPlugins({ backup }) });
    const item = await outcome.item("configmaps", "x", "a");
    expect(JSON.stringify(item)).toBe(bytes);
  }
});

test("an action may have an item skipped; it is not counted", async () => {
  const skip = backupAction("example.io/skip", { includedResources: ["pods"] }, (item) => ({
    item: { ...item, metadata: { ...item.metadata, annotations: { "velero.io/skip-from-backup": "" } } },
  }));
  const plugins = memoryPlugins({ backup: [skip] });
  const outcome = await backUp({ objects: [namespace("a"), pod("a/one"), configMap("a/x")], plugins });
  expect(await outcome.paths()).toEqual(["configmaps a/x", "namespaces a"]);
  expect(outcome.result.status.progress).toEqual({ totalItems: 2, itemsBackedUp: 2 });
  expect(outcome.ledger()).toContainEqual(
    expect.objectContaining({ name: "one", outcome: "skipped", plugin: "example.io/skip" }),
  );
});

describe("a bad action costs its item alone:", () => {
  const cases: Record<string, { answer: () => object; error: string }> = {
    "it fails": {
      answer: () => {
        throw new AppError("Internal", "boom");
      },
      error: "boom",
    },
    "its process dies": {
      answer: () => {
        throw new AppError("Unavailable", 'plugin "example.io/bad" died');
      },
      error: 'plugin "example.io/bad" died',
    },
    "it returns no JSON": {
      answer: () => ({ body: bodyFromBytes(new TextEncoder().encode("{")) }),
      error: "item is not valid JSON",
    },
    "it returns no object": {
      answer: () => ({ body: bodyFromBytes(new TextEncoder().encode("[]")) }),
      error: "item has no kind, apiVersion or metadata",
    },
    "it takes the name away": {
      answer: () => ({ item: { ...pod("a/one"), metadata: { namespace: "a" } } }),
      error: 'plugin "example.io/bad" returned an item without a name',
    },
    "it returns a name that is a path": {
      answer: () => ({ item: { ...pod("a/one"), metadata: { name: "../../etc", namespace: "a" } } }),
      error: "cannot store an item under the name",
    },
  };
  for (const [name, { answer, error }] of Object.entries(cases)) {
    test(name, async () => {
      const bad = backupAction("example.io/bad", { includedResources: ["pods"] }, (item) =>
        item.metadata.name === "one" ? answer() : {},
      );
      const plugins = memoryPlugins({ backup: [bad] });
      const outcome = await backUp({
        objects: [namespace("a"), pod("a/one"), pod("a/two"), configMap("a/x")],
        plugins,
      });
      expect(outcome.result.phase).toBe("FinalizingPartiallyFailed");
      expect(outcome.result.status.errors).toBe(1);
      expect(await outcome.paths()).toEqual(["configmaps a/x", "namespaces a", "pods a/two"]);
      expect(outcome.results().errors.velero?.[0]).toContain(error);
      expect(outcome.text("log")).toContain("level=error");
      const failed = outcome.ledger().filter(({ outcome }) => outcome === "failed");
      expect(failed).toHaveLength(1);
      expect(failed[0]).toMatchObject({ resource: "pods", namespace: "a", name: "one" });
      expect(failed[0]?.cause).toContain(error);
      expect(outcome.json<Record<string, string[]>>("resourceList")["v1/Pod"]).toEqual(["a/one", "a/two"]);
    });
  }
});

test("an action that cannot say what it applies to, or says nonsense, fails the backup", async () => {
  const silent = backupAction("example.io/silent", {}, undefined, {
    appliesTo: async () => {
      throw new AppError("Unavailable", "no answer");
    },
  });
  const nonsense = backupAction("example.io/nonsense", { labelSelector: "=" });
  for (const [action, text] of [
    [silent, "no answer"],
    [nonsense, "invalid label selector"],
  ] as const) {
    const outcome = await backUp({ objects, plugins: memoryPlugins({ backup: [action] }) });
    expect(outcome.result.phase).toBe("Failed");
    expect(outcome.result.status.failureReason).toContain(action.name);
    expect(outcome.result.status.failureReason).toContain(text);
    expect(outcome.result.status.completionTimestamp).toBe("2026-01-02T03:04:05Z");
  }
});

describe("an operation", () => {
  const start = (progress: object) =>
    backupAction(
      "example.io/copy",
      { includedResources: ["pods"] },
      () => ({
        operationId: "op-1",
        itemsToUpdate: [{ groupResource: "copies.example.io", namespace: "a", name: "c" }],
      }),
      { progress: async () => ({ completed: false, ...progress }) },
    );
  const run = (progress: object) =>
    backUp({ objects: [namespace("a"), pod("a/one")], plugins: memoryPlugins({ backup: [start(progress)] }) });

  test("that still runs makes the backup wait for it", async () => {
    const { result, json } = await run({ nCompleted: 1, nTotal: 4, operationUnits: "bytes", started: new Date(1000) });
    expect(result.phase).toBe("WaitingForPluginOperations");
    expect(result.status.backupItemOperationsAttempted).toBe(1);
    expect(json("itemOperations")).toEqual([
      {
        spec: {
          backupName: "b1",
          backupUID: "uid-of-b1",
          backupItemAction: "example.io/copy",
          resourceIdentifier: { Group: "", Resource: "pods", Namespace: "a", Name: "one" },
          operationID: "op-1",
          postOperationItems: [{ Group: "example.io", Resource: "copies", Namespace: "a", Name: "c" }],
        },
        status: {
          phase: "InProgress",
          nCompleted: 1,
          nTotal: 4,
          operationUnits: "bytes",
          created: "2026-01-02T03:04:05Z",
          started: "1970-01-01T00:00:01Z",
        },
      },
    ]);
  });

  test("that has ended lets the backup go on", async () => {
    const { result } = await run({ completed: true });
    expect(result.phase).toBe("Finalizing");
    expect(result.status).toMatchObject({ backupItemOperationsAttempted: 1, backupItemOperationsCompleted: 1 });
  });

  test("that has failed is an error", async () => {
    const { result, results } = await run({ completed: true, error: "disk on fire" });
    expect(result.phase).toBe("FinalizingPartiallyFailed");
    expect(result.status).toMatchObject({ backupItemOperationsFailed: 1, errors: 1 });
    expect(results().errors.velero).toEqual([" message: /disk on fire, plugin: example.io/copy"]);
  });

  test("is saved while the run goes on", async () => {
    const saved: number[] = [];
    const gate = Promise.withResolvers<void>();
    const slow = backupAction("example.io/slow", { includedResources: ["namespaces"] }, async () => {
      await gate.promise;
      return {};
    });
    await backUp({
      objects: [namespace("a"), pod("a/one")],
      plugins: memoryPlugins({ backup: [start({}), slow] }),
      ports: {
        clock: systemClock,
        saveStarted: async ({ operations }) => {
          saved.push(operations.length);
          gate.resolve();
        },
      },
    });
    expect(saved).toEqual([1]);
  });

  test("is saved with all others before the first file says that the run is over, however fast they came", async () => {
    const saved: { readonly operations: number; readonly files: number }[] = [];
    const store = memoryStore();
    await backUp({
      objects: [namespace("a"), ...["one", "two", "three"].map((name) => pod(`a/${name}`))],
      plugins: memoryPlugins({ backup: [start({})] }),
      store,
      ports: {
        saveStarted: async ({ operations }) =>
          void saved.push({ operations: operations.length, files: store.objects.size }),
      },
    });
    expect(saved.at(-1)).toEqual({ operations: 3, files: 0 });
    expect(saved.length).toBeLessThanOrEqual(2); // the clock stands still: the first, and the one that has them all
  });
});

describe("blocks", () => {
  test("hold an item with what is related to it, in turn", async () => {
    const seen: string[] = [];
    const watch = watching({}, (item) => seen.push(item.metadata.name));
    const relate = blockAction("example.io/relate", { includedResources: ["configmaps"] }, ({ metadata }) => {
      const next = { "0": "5", "5": "3" }[metadata.name];
      return next === undefined ? [] : [{ groupResource: "configmaps", namespace: "a", name: next }];
    });
    const maps = Array.from({ length: 6 }, (_, index) => configMap(`a/${index}`));
    const plugins = memoryPlugins({ backup: [watch], block: [relate] });
    await backUp({ objects: [namespace("a"), ...maps], plugins, options: { itemBlockConcurrency: 1 } });
    expect(seen).toEqual(["0", "5", "3", "1", "2", "4", "a"]);
  });

  test("bring in related items that were not collected, if they belong; others are reported", async () => {
    const relate = blockAction("example.io/relate", { includedResources: ["pods"] }, () => [
      { groupResource: "persistentvolumes", name: "pv-1" },
      { groupResource: "configmaps", namespace: "b", name: "x" },
      { groupResource: "configmaps", namespace: "a", name: "none" },
    ]);
    const outcome = await backUp({
      objects: [namespace("a"), namespace("b"), pod("a/one"), volume("pv-1", "a/data"), configMap("b/x")],
      spec: { includedNamespaces: ["a"] },
      plugins: memoryPlugins({ block: [relate] }),
    });
    expect(await outcome.paths()).toEqual(["namespaces a", "persistentvolumes pv-1", "pods a/one"]);
    expect(outcome.results().warnings.namespaces?.["a"]?.[0]).toContain("Related item was not found");
  });

  test("survive a block action that fails", async () => {
    const bad = blockAction("example.io/bad", { includedResources: ["pods"] }, () => {
      throw new AppError("Internal", "boom");
    });
    const outcome = await backUp({ objects: [namespace("a"), pod("a/one")], plugins: memoryPlugins({ block: [bad] }) });
    expect(await outcome.paths()).toEqual(["namespaces a", "pods a/one"]);
    expect(outcome.results().errors.velero).toEqual([
      " message: /error executing ItemBlock action (groupResource=pods, namespace=a, name=one): boom",
    ]);
  });
});

test("a custom resource stays findable by its plural name with group", async () => {
  const outcome = await backUp({ objects: [namespace("a"), object("apps/v1", "ReplicaSet", "a/rs")] });
  expect(await outcome.paths()).toContain("replicasets.apps a/rs");
});
