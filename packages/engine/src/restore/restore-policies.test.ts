import type { KubernetesObject, RestoreSpec } from "@jibe/plugin-sdk/contracts";
import { testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { configMap, namespace, object, pod } from "../../test/builders.ts";
import { commonTypes, resourceType } from "../../test/memory-types.ts";
import { restoreWorld, type WorldOptions } from "../../test/restore-world.ts";
import { readFilterPolicies } from "../policies/filter-policies.ts";
import { runRestore } from "./run-restore.ts";

const role = (name: string, labels = {}) =>
  object("rbac.authorization.k8s.io/v1", "ClusterRole", name, { metadata: { labels } });
const backedUp: readonly KubernetesObject[] = [
  namespace("app-1"),
  namespace("app-2"),
  namespace("other"),
  configMap("app-1/keep", { labels: { tier: "web" } }),
  configMap("app-1/drop"),
  pod("app-1/web", { metadata: { labels: { tier: "web" } } }),
  configMap("app-2/keep"),
  configMap("other/keep", { labels: { tier: "web" } }),
  pod("other/web"),
  role("reader", { tier: "web" }),
  role("writer"),
];
const within = (namespaces: string[], ...resourceFilters: object[]) => ({
  namespacedFilterPolicies: [{ namespaces, resourceFilters }],
});
const web = { matchLabels: { tier: "web" } };
const others = ["clusterroles reader", "clusterroles writer", "configmaps other/keep", "pods other/web"];

const cases: Record<string, { policies: Record<string, unknown>; spec?: RestoreSpec; want: string[] }> = {
  "take only the types with a rule in a namespace, and leave others alone": {
    policies: within(["app-1"], { kinds: ["cm"] }),
    want: [...others, "configmaps app-1/drop", "configmaps app-1/keep", "configmaps app-2/keep"],
  },
  "narrow a type by labels": {
    policies: within(["app-*"], { kinds: ["ConfigMap"], labelSelector: web }),
    want: [...others, "configmaps app-1/keep"],
  },
  "narrow a type by one of several selectors": {
    policies: within(["app-*"], { kinds: ["pods"], orLabelSelectors: [{ matchLabels: { no: "no" } }, web] }),
    want: [...others, "pods app-1/web"],
  },
  "narrow a type by names and excluded names": {
    policies: within(["app-*"], { kinds: ["configmaps"], names: ["k*", "drop"], excludedNames: ["d?op"] }),
    want: [...others, "configmaps app-1/keep", "configmaps app-2/keep"],
  },
  "have a rule for all other types": {
    policies: within(["app-1"], { kinds: ["configmaps"], names: ["drop"] }, { kinds: ["*"], labelSelector: web }),
    want: [...others, "configmaps app-1/drop", "configmaps app-2/keep", "pods app-1/web"],
  },
  "prefer a namespace's own name to a pattern, and the first pattern to the second": {
    policies: {
      namespacedFilterPolicies: [
        { namespaces: ["*-2", "app-*"], resourceFilters: [{ kinds: ["pods"] }] },
        { namespaces: ["app-1", "app-?"], resourceFilters: [{ kinds: ["configmaps"], names: ["drop"] }] },
      ],
    },
    want: [...others, "configmaps app-1/drop"],
  },
  "stand in for the selector of the spec, where they have a rule": {
    policies: within(["app-1"], { kinds: ["configmaps"], names: ["drop"] }),
    spec: { labelSelector: web },
    want: ["clusterroles reader", "configmaps app-1/drop", "configmaps other/keep"],
  },
  "bring back nothing that the spec excludes": {
    policies: within(["app-1"], { kinds: ["configmaps", "pods"] }),
    spec: { excludedResources: ["configmaps", "clusterroles"] },
    want: ["pods app-1/web", "pods other/web"],
  },
  "narrow cluster-scoped types that they name": {
    policies: { clusterScopedFilterPolicy: { resourceFilters: [{ kinds: ["clusterrole"], names: ["w*"] }] } },
    want: [
      "clusterroles writer",
      "configmaps app-1/drop",
      "configmaps app-1/keep",
      "configmaps app-2/keep",
      "configmaps other/keep",
      "pods app-1/web",
      "pods other/web",
    ],
  },
};

async function restoredWith(policies: Record<string, unknown>, options: WorldOptions) {
  using scope = testScope();
  const world = await restoreWorld(options, scope);
  const result = await runRestore({ ...world.request, policies: readFilterPolicies(policies) }, world.ports, scope);
  const created = world.cluster.calls
    .filter((call) => call.startsWith("create ") && !call.startsWith("create namespaces "))
    .map((call) => call.slice("create ".length).replace(/\.\S+ /, " "));
  return { created: created.sort(), result };
}

describe("filter policies", () => {
  for (const [name, { policies, spec = {}, want }] of Object.entries(cases)) {
    test(name, async () => {
      const { created } = await restoredWith(policies, { backedUp, spec });
      expect(created).toEqual([...want].sort());
    });
  }

  test("know types by the kind that their items bear, where nobody knows the name", async () => {
    const old = resourceType("legacy.io/v1", "Widget");
    const items = [namespace("app-1"), object("legacy.io/v1", "Widget", "app-1/one"), configMap("app-1/keep")];
    const { result } = await restoredWith(within(["app-1"], { kinds: ["widget"] }), {
      backedUp: items,
      sourceTypes: [...commonTypes, old],
    });
    // The widget is selected, and then cannot be made in a target that does not serve it.
    expect(result.results.errors.namespaces?.["app-1"]).toEqual([expect.stringContaining("does not serve widgets")]);
  });

  test("that name a type twice by different names end the restore with an error", async () => {
    const { created, result } = await restoredWith(within(["app-1"], { kinds: ["cm", "configmap"] }), { backedUp });
    expect(created).toEqual([]);
    expect(result.status.phase).toBe("FinalizingPartiallyFailed");
    expect(result.results.errors.velero).toEqual(['ambiguous policy: duplicate kind "configmaps" detected']);
  });

  test("hold back no additional items", async () => {
    const brings = {
      name: "example.io/brings",
      appliesTo: async () => ({ includedResources: ["pods"] }),
      execute: async ({ body }: { body: unknown }) => ({
        body,
        additionalItems: [{ groupResource: "configmaps", namespace: "app-1", name: "drop" }],
        operationId: "",
        skipRestore: false,
        waitForAdditionalItems: false,
      }),
    } as unknown as NonNullable<WorldOptions["actions"]>[number];
    const policies = within(["app-1"], { kinds: ["pods"] });
    const { created } = await restoredWith(policies, { backedUp: backedUp.slice(0, 6), actions: [brings] });
    expect(created).toEqual(["configmaps app-1/drop", "pods app-1/web"]);
  });
});
