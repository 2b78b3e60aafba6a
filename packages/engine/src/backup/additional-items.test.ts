import { AppError } from "@jibe/base";
import type { ResourceIdentifier } from "@jibe/plugin-sdk/contracts";
import { describe, expect, test } from "vitest";
import { backUp } from "../../test/backup-harness.ts";
import { configMap, namespace, pod, volume } from "../../test/builders.ts";
import { memoryCluster } from "../../test/memory-cluster.ts";
import { backupAction, memoryPlugins } from "../../test/memory-plugins.ts";

describe("additional items", () => {
  const asking = (from: string, ids: readonly ResourceIdentifier[], name = "example.io/ask") =>
    backupAction(name, { includedResources: ["pods"] }, (item) => ({
      additionalItems: item.metadata.name === from ? ids : [],
    }));
  const cm = (name: string, ns = "a"): ResourceIdentifier => ({ groupResource: "configmaps", namespace: ns, name });

  test("are stored before the item that asked, once, wherever they come from", async () => {
    const cluster = memoryCluster({ objects: [namespace("a"), pod("a/one"), pod("a/two"), configMap("a/x")] });
    const spec = { includedNamespaceScopedResources: ["pods", "configmaps"] };
    const both = [asking("one", [cm("x")]), asking("two", [cm("x")], "example.io/too")];
    const outcome = await backUp({ cluster, spec, plugins: memoryPlugins({ backup: both }) });
    expect(await outcome.paths()).toEqual(["configmaps a/x", "namespaces a", "pods a/one", "pods a/two"]);
    expect(cluster.calls.filter((call) => call.startsWith("get configmaps"))).toEqual([]);
  });

  const other = [namespace("a"), namespace("b"), pod("a/one"), configMap("b/x"), volume("pv-1", "a/data")];
  const filtered: Record<string, { spec: object; id: ResourceIdentifier; want: boolean }> = {
    "of an excluded namespace stay out": { spec: { includedNamespaces: ["a"] }, id: cm("x", "b"), want: false },
    "of a type that is not included stay out": { spec: { includedResources: ["pods"] }, id: cm("x", "b"), want: false },
    "that are cluster-scoped come in despite a namespace filter": {
      spec: { includedNamespaces: ["a"] },
      id: { groupResource: "persistentvolumes", name: "pv-1" },
      want: true,
    },
    "that are cluster-scoped stay out when these are switched off": {
      spec: { includeClusterResources: false },
      id: { groupResource: "persistentvolumes", name: "pv-1" },
      want: false,
    },
  };
  for (const [name, { spec, id, want }] of Object.entries(filtered)) {
    test(name, async () => {
      const plugins = memoryPlugins({ backup: [asking("one", [id])] });
      const outcome = await backUp({ objects: other, spec, plugins });
      const place = id.namespace ? `${id.namespace}/${id.name}` : id.name;
      expect((await outcome.paths()).includes(`${id.groupResource} ${place}`)).toBe(want);
    });
  }

  test("that must be included pass every check but deletion", async () => {
    const insist = backupAction("example.io/insist", { includedResources: ["pods"] }, (item) => ({
      item: {
        ...item,
        metadata: { ...item.metadata, annotations: { "backup.velero.io/must-include-additional-items": "true" } },
      },
      additionalItems: [cm("x", "b"), cm("hidden"), cm("gone")],
    }));
    const hidden = configMap("a/hidden", { labels: { "velero.io/exclude-from-backup": "true" } });
    const gone = configMap("a/gone", { deletionTimestamp: "2026-01-01T00:00:00Z" });
    const outcome = await backUp({
      objects: [...other, hidden, gone],
      spec: { includedNamespaces: ["a"] },
      plugins: memoryPlugins({ backup: [insist] }),
    });
    const paths = await outcome.paths();
    expect(paths).toContain("configmaps b/x");
    expect(paths).toContain("configmaps a/hidden");
    expect(paths).not.toContain("configmaps a/gone");
    const outcomes = outcome.ledger().filter(({ name }) => name === "hidden");
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["stored"]);
  });

  test("that are not there are a warning; the item is stored", async () => {
    const plugins = memoryPlugins({ backup: [asking("one", [cm("none")])] });
    const outcome = await backUp({ objects: [namespace("a"), pod("a/one")], plugins });
    expect(outcome.result.phase).toBe("Finalizing");
    expect(outcome.results().warnings).toEqual({
      namespaces: {
        a: [" resource: /pods name: /none message: /Additional item was not found in Kubernetes API, can't back it up"],
      },
    });
    expect(await outcome.paths()).toContain("pods a/one");
  });

  test("that fail make the item fail that asked, and no other", async () => {
    const fail = backupAction("example.io/fail", { includedResources: ["configmaps"] }, () => {
      throw new AppError("Internal", "boom");
    });
    const plugins = memoryPlugins({ backup: [asking("one", [cm("x")]), fail] });
    const spec = { includedNamespaceScopedResources: ["pods"], includedNamespaces: ["a"] };
    const hooksOff = { itemBlockConcurrency: 1 };
    const objectsHere = [namespace("a"), pod("a/one"), pod("a/two"), configMap("a/x")];
    const insist = { ...spec, includedNamespaceScopedResources: ["pods", "configmaps"] };
    const outcome = await backUp({ objects: objectsHere, spec: insist, options: hooksOff, plugins });
    expect(await outcome.paths()).toEqual(["namespaces a", "pods a/two"]);
    expect(outcome.results().errors.velero).toEqual([
      " name: /one message: /Error backing up item error: /error executing custom action (groupResource=configmaps, namespace=a, name=x): boom",
    ]);
    expect(outcome.ledger()).toContainEqual(
      expect.objectContaining({ name: "one", outcome: "failed", step: "additional item", plugin: "example.io/ask" }),
    );
    expect(outcome.result.status.progress).toEqual({ totalItems: 4, itemsBackedUp: 4 });
  });
});
