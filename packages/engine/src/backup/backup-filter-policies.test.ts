import type { BackupSpec } from "@jibe/plugin-sdk/contracts";
import { expect, test } from "vitest";
import { backUp } from "../../test/backup-harness.ts";
import { configMap, namespace, object, pod } from "../../test/builders.ts";
import { backupAction, memoryPlugins } from "../../test/memory-plugins.ts";
import { resourcePoliciesFrom } from "../policies/resource-policies.ts";

const policiesFrom = (document: object) =>
  resourcePoliciesFrom(
    { namespace: "velero", name: "p", data: { policy: JSON.stringify({ version: "v1", ...document }) } },
    JSON.parse,
  );
const web = { metadata: { labels: { app: "web" } } };
const objects = [
  namespace("a"),
  namespace("b"),
  namespace("c"),
  configMap("a/web", web.metadata),
  configMap("a/plain"),
  pod("a/web", web),
  configMap("b/plain"),
  pod("b/web", web),
  configMap("c/plain"),
  object("storage.k8s.io/v1", "StorageClass", "fast", web),
  object("storage.k8s.io/v1", "StorageClass", "slow", web),
  object("storage.k8s.io/v1", "StorageClass", "plain"),
];
const rules = (namespaces: string[], ...resourceFilters: object[]) => ({ namespaces, resourceFilters });
const webOnly = { labelSelector: { matchLabels: { app: "web" } } };

const cases: Record<string, { policies: object; spec?: BackupSpec; want: string[] }> = {
  "takes only the types with a rule from a namespace that a policy names": {
    policies: { namespacedFilterPolicies: [rules(["a"], { kinds: ["ConfigMap"] })] },
    spec: { includedNamespaces: ["a", "b"] },
    want: [
      "configmaps a/plain",
      "configmaps a/web",
      "configmaps b/plain",
      "namespaces a",
      "namespaces b",
      "pods b/web",
    ],
  },
  "lets a rule's selector stand in for that of the spec": {
    policies: { namespacedFilterPolicies: [rules(["a"], { kinds: ["cm"] })] },
    spec: { includedNamespaces: ["a", "b"], ...webOnly },
    want: ["configmaps a/plain", "configmaps a/web", "namespaces a", "namespaces b", "pods b/web"],
  },
  "takes each item once that several selectors of a rule match": {
    policies: {
      namespacedFilterPolicies: [
        rules(["a"], {
          orLabelSelectors: [webOnly.labelSelector, { matchExpressions: [{ key: "app", operator: "Exists" }] }],
        }),
      ],
    },
    spec: { includedNamespaces: ["a"] },
    want: ["configmaps a/web", "namespaces a", "pods a/web"],
  },
  "prefers the policy of an exact name to that of a pattern before it": {
    policies: {
      namespacedFilterPolicies: [
        rules(["?"], { kinds: ["pods"] }),
        rules(["a"], { kinds: ["configmaps"], names: ["w*"] }),
      ],
    },
    spec: { includedNamespaces: ["a", "b"] },
    want: ["configmaps a/web", "namespaces a", "namespaces b", "pods b/web"],
  },
  "narrows a list over all namespaces item by item": {
    policies: {
      includeExcludePolicy: { excludedClusterScopedResources: ["sc"] },
      namespacedFilterPolicies: [rules(["a"], webOnly), rules(["b"], { kinds: ["po"] })],
    },
    want: [
      "configmaps a/web",
      "configmaps c/plain",
      "namespaces a",
      "namespaces b",
      "namespaces c",
      "pods a/web",
      "pods b/web",
    ],
  },
  "narrows cluster-scoped types that a policy names, and no others": {
    policies: {
      clusterScopedFilterPolicy: { resourceFilters: [{ kinds: ["StorageClass"], excludedNames: ["s*"], ...webOnly }] },
    },
    spec: { includedClusterScopedResources: ["sc"], includedNamespaces: ["c"] },
    want: ["configmaps c/plain", "namespaces c", "storageclasses.storage.k8s.io fast"],
  },
};

for (const [name, { policies, spec = {}, want }] of Object.entries(cases)) {
  test(`a backup with filter policies ${name}`, async () => {
    const outcome = await backUp({ objects, spec, policies: policiesFrom(policies) });
    expect(await outcome.paths()).toEqual(want);
    expect(outcome.result.phase).toBe("Finalizing");
  });
}

test("what an action asks for is held to the names of a filter policy, not to its types and labels", async () => {
  const asking = backupAction("example.io/ask", { includedResources: ["pods"] }, async () => ({
    additionalItems: ["web", "plain"].map((name) => ({ groupResource: "configmaps", namespace: "a", name })),
  }));
  const run = (...filters: object[]) =>
    backUp({
      objects,
      spec: { includedNamespaces: ["a"] },
      plugins: memoryPlugins({ backup: [asking] }),
      policies: policiesFrom({ namespacedFilterPolicies: [rules(["a"], { kinds: ["pods"] }, ...filters)] }),
    });
  expect(await (await run()).paths()).toEqual(["configmaps a/plain", "configmaps a/web", "namespaces a", "pods a/web"]);
  const named = await run({ kinds: ["configmaps"], names: ["plain"], ...webOnly });
  expect(await named.paths()).toEqual(["configmaps a/plain", "namespaces a", "pods a/web"]);
  const left = named.ledger().find(({ outcome }) => outcome === "skipped");
  expect(left).toMatchObject({ resource: "configmaps", name: "web", reason: "its name matches no filter policy" });
});

test("rules that can have no effect are warnings", async () => {
  const outcome = await backUp({
    objects,
    policies: policiesFrom({
      includeExcludePolicy: { excludedNamespaceScopedResources: ["pods"] },
      clusterScopedFilterPolicy: { resourceFilters: [{ kinds: ["ConfigMap"] }] },
      namespacedFilterPolicies: [rules(["a"], { kinds: ["gadget", "pod"] })],
    }),
  });
  expect(outcome.results().warnings.velero).toEqual([
    expect.stringContaining('kind "ConfigMap" in clusterScopedFilterPolicy is namespace-scoped'),
    expect.stringContaining("Cannot resolve kind via discovery, using as-is: no matches for /, Resource=gadget"),
    expect.stringContaining("lists a kind that is globally excluded"),
  ]);
});
