import { testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { claim, configMap, namespace, object, pod, volume } from "../../test/builders.ts";
import { restoreAction } from "../../test/memory-plugins.ts";
import { restoreWorld } from "../../test/restore-world.ts";

describe("runRestore", () => {
  test("brings items back, labelled, without what a server makes, and writes its files", async () => {
    using scope = testScope();
    const world = await restoreWorld(
      {
        backedUp: [
          namespace("shop", { labels: { team: "a" } }),
          configMap("shop/settings", {
            labels: { app: "x" },
            resourceVersion: "7",
            ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "o", uid: "u" }],
            finalizers: ["example.io/keep"],
          }),
          object("v1", "Secret", "shop/token", { data: { big: "x" } }),
        ],
      },
      scope,
    );
    const { status } = await world.run();
    expect(status).toMatchObject({
      phase: "Finalizing",
      warnings: 0,
      errors: 0,
      progress: { totalItems: 3, itemsRestored: 3 },
    });
    const settings = world.cluster.read("configmaps", "settings", "shop");
    expect(settings?.metadata.labels).toEqual({
      app: "x",
      "velero.io/backup-name": "b1",
      "velero.io/restore-name": "r1",
    });
    expect(settings?.metadata.ownerReferences).toBeUndefined();
    expect(settings?.metadata.finalizers).toEqual(["example.io/keep"]);
    expect(world.cluster.read("namespaces", "shop")?.metadata.labels).toEqual({ team: "a" });
    expect(JSON.parse(world.file("resourceList"))).toEqual({
      "v1/ConfigMap": ["shop/settings(created)"],
      "v1/Namespace": ["shop(created)"],
      "v1/Secret": ["shop/token(created)"],
    });
    expect(JSON.parse(world.file("results"))).toEqual({ errors: {}, warnings: {} });
    expect(world.file("itemOperations")).toBe("[]\n");
    expect(world.ledger()).toEqual([
      "configmaps shop/settings created",
      "namespaces shop created",
      "secrets shop/token created",
    ]);
    expect(world.file("log")).toContain("restore=velero/r1");
    expect(world.cluster.calls.filter((call) => call.includes("configmaps"))).toEqual([
      "create configmaps shop/settings",
    ]);
    expect(world.statuses.at(-1)).toEqual({ progress: { totalItems: 3, itemsRestored: 3 } });
    expect(world.scratch.open.size).toBe(0);
  });

  test("waves follow the priorities; additional items come before their item", async () => {
    using scope = testScope();
    const world = await restoreWorld(
      {
        backedUp: [
          namespace("shop"),
          pod("shop/web", { claims: ["data"] }),
          claim("shop/data", "pv-1"),
          volume("pv-1", "shop/data"),
          configMap("shop/a"),
          object("apps/v1", "Deployment", "shop/web"),
        ],
        actions: [
          restoreAction("test/pod", { includedResources: ["pods"] }, () => ({
            additionalItems: [{ groupResource: "persistentvolumeclaims", namespace: "shop", name: "data" }],
          })),
        ],
        settings: { priorities: { high: ["pods"], low: ["configmaps"] } },
      },
      scope,
    );
    const { status } = await world.run();
    expect(status.phase).toBe("Finalizing");
    const created = world.cluster.calls.filter((call) => call.startsWith("create"));
    expect(created).toEqual([
      "create namespaces shop",
      "create persistentvolumeclaims shop/data",
      "create pods shop/web",
      "create deployments.apps shop/web",
      "create configmaps shop/a",
    ]);
    expect(world.ledger()).toContain(
      "persistentvolumes pv-1 skipped made anew for its claim: it has no snapshot and its reclaim policy is Delete",
    );
  });
});
