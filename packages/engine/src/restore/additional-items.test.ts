import type { ResourceIdentifier, RestoreSpec } from "@jibe/plugin-sdk/contracts";
import { describe, expect, test } from "vitest";
import { configMap, object, pod } from "../../test/builders.ts";
import { restoreAction } from "../../test/memory-plugins.ts";
import { runInWorld } from "../../test/restore-world.ts";

const secret = (place: string) => object("v1", "Secret", place);
const secretId = (name: string, space = "shop"): ResourceIdentifier => ({
  groupResource: "secrets",
  namespace: space,
  name,
});

describe("additional items", () => {
  const asking = (...items: ResourceIdentifier[]) =>
    restoreAction("x/y", { includedResources: ["pods"] }, () => ({ additionalItems: items }));
  const cases: Record<string, { spec: RestoreSpec; asked: ResourceIdentifier; want: string[]; warnings?: object }> = {
    "come before their item": {
      spec: { includedResources: ["pods", "secrets"] },
      asked: secretId("s"),
      want: ["secrets shop/s", "pods shop/p", "secrets other/t"],
    },
    "that are of an excluded type are left out": {
      spec: { includedResources: ["pods"] },
      asked: secretId("s"),
      want: ["pods shop/p"],
    },
    "that are in an excluded namespace are left out": {
      spec: { includedNamespaces: ["shop"] },
      asked: secretId("t", "other"),
      want: ["pods shop/p", "secrets shop/s"],
    },
    "that are cluster-scoped are allowed with some namespaces": {
      spec: { includedNamespaces: ["shop"], excludedResources: ["secrets"] },
      asked: { groupResource: "clusterroles.rbac.authorization.k8s.io", name: "role" },
      want: ["clusterroles.rbac.authorization.k8s.io role", "pods shop/p"],
    },
    "that are cluster-scoped are left out on request": {
      spec: { includedNamespaces: ["shop"], excludedResources: ["secrets"], includeClusterResources: false },
      asked: { groupResource: "clusterroles.rbac.authorization.k8s.io", name: "role" },
      want: ["pods shop/p"],
    },
    "that the backup lacks are a warning": {
      spec: { includedResources: ["pods"] },
      asked: secretId("absent"),
      want: ["pods shop/p"],
      warnings: { namespaces: { shop: ["additional item secrets/shop/absent is not in the backup"] } },
    },
  };
  const backedUp = [
    pod("shop/p"),
    secret("shop/s"),
    secret("other/t"),
    object("rbac.authorization.k8s.io/v1", "ClusterRole", "role"),
  ];
  for (const [name, { spec, asked, want, warnings = {} }] of Object.entries(cases)) {
    test(name, async () => {
      const world = await runInWorld({
        backedUp,
        spec,
        actions: [asking(asked)],
        settings: { priorities: { high: ["pods"], low: [] } },
      });
      const created = world.cluster.calls
        .filter((call) => /^create (?!namespaces)/.test(call))
        .map((call) => call.slice(7));
      expect(created).toEqual(want);
      expect(world.results).toEqual({ errors: {}, warnings });
    });
  }

  test("pass the filters when their action says so, and the mark does not stay", async () => {
    const action = restoreAction("x/y", { includedResources: ["pods"] }, (item) => ({
      item: {
        ...item,
        metadata: {
          ...item.metadata,
          annotations: { "restore.velero.io/must-include-additional-items": "true", keep: "1" },
        },
      },
      additionalItems: [secretId("s")],
    }));
    const world = await runInWorld({ backedUp, spec: { includedResources: ["pods"] }, actions: [action] });
    expect(world.cluster.read("secrets", "s", "shop")).toBeDefined();
    expect(world.cluster.read("pods", "p", "shop")?.metadata.annotations).toEqual({ keep: "1" });
  });

  for (const concurrency of [1, 32]) {
    describe(`at concurrency ${concurrency}`, () => {
      const settings = { concurrency };
      const next = (pick: (name: string) => string | undefined) =>
        restoreAction("x/next", { includedResources: ["cm"] }, ({ metadata }) => {
          const name = pick(metadata.name);
          return name === undefined
            ? {}
            : { additionalItems: [{ groupResource: "configmaps", namespace: "shop", name }] };
        });

      test("a circle is no deadlock", async () => {
        const circle: Record<string, string> = { a: "b", b: "c", c: "a", d: "d" };
        const backedUp = Object.keys(circle).map((name) => configMap(`shop/${name}`));
        const world = await runInWorld({ backedUp, actions: [next((name) => circle[name])], settings });
        expect(world.status).toMatchObject({ errors: 0, warnings: 0, progress: { totalItems: 5, itemsRestored: 5 } });
      });

      test("a chain of 100 comes from its end", async () => {
        const backedUp = Array.from({ length: 100 }, (_, index) => configMap(`shop/${String(index).padStart(3, "0")}`));
        const world = await runInWorld({
          backedUp,
          actions: [next((name) => (name === "099" ? undefined : String(Number(name) + 1).padStart(3, "0")))],
          settings,
        });
        const created = world.cluster.calls
          .filter((call) => call.startsWith("create configmaps"))
          .map((call) => call.slice(-3));
        expect(created).toEqual(backedUp.map(({ metadata }) => metadata.name).reverse());
      });

      test("500 that ask for one restore it once, before all of them", async () => {
        const backedUp = [...Array.from({ length: 500 }, (_, index) => configMap(`shop/c${index}`)), secret("shop/s")];
        const action = restoreAction("x/y", { includedResources: ["cm"] }, () => ({
          additionalItems: [secretId("s")],
        }));
        const world = await runInWorld({
          backedUp,
          actions: [action],
          settings: { concurrency, priorities: { high: ["configmaps"], low: [] } },
        });
        const created = world.cluster.calls.filter((call) => call.startsWith("create"));
        expect(created.slice(0, 2)).toEqual(["create namespaces shop", "create secrets shop/s"]);
        expect(created).toHaveLength(502);
        expect(world.status.progress).toEqual({ totalItems: 502, itemsRestored: 502 });
      });
    });
  }
});
