import { forEachConcurrent } from "@jibe/base";
import { configMap, testScope } from "@jibe/testkit";
import { startKubernetes } from "@jibe/testkit/peers";
import { describe, expect, test } from "vitest";
import { configMaps } from "../../test/config-maps.ts";
import { connectCluster } from "../index.ts";

describe("a real API server that refuses with 429", () => {
  test("gets fewer calls at once, and every call succeeds in the end", async () => {
    using scope = testScope();
    // without its fair queueing the server refuses at once what is over these limits
    const extraApiServerFlags = [
      "--enable-priority-and-fairness=false",
      "--max-requests-inflight=12",
      "--max-mutating-requests-inflight=2",
    ];
    await using cluster = await startKubernetes({ extraApiServerFlags }, scope);
    const options = { kubeconfig: cluster.kubeconfig, env: {}, maxConcurrent: 64 };
    await using client = await connectCluster(options, scope);
    // not as a system:masters, whom the server never refuses
    await cluster.apply([clusterAdmin("someone")]);
    await using limited = await connectCluster({ ...options, impersonate: { user: "someone" } }, scope);
    const each = async (index: number) => {
      const object = configMap(`item-${index}`, { data: { text: "x".repeat(50_000) } });
      await limited.createRaw(configMaps, { namespace: "default", object }, scope);
    };
    await forEachConcurrent(Array(300).keys(), { limit: 64, each }, scope);
    expect((await client.list(configMaps, { namespace: "default" }, scope)).items).toHaveLength(300);
    expect(
      scope.lines.filter(({ fields }) => String(fields["reason"]).includes("many requests")).length,
    ).toBeGreaterThan(0);
    expect(limited.concurrency).toBeLessThan(64);
  });
});

function clusterAdmin(name: string) {
  const apiGroup = "rbac.authorization.k8s.io";
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name: "limited" },
    roleRef: { apiGroup, kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ apiGroup, kind: "User", name }],
  };
}
