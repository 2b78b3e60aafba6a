import type { KubernetesObject, RestoreSpec } from "@jibe/plugin-sdk/contracts";
import { testScope } from "@jibe/testkit";
import { describe, expect, test } from "vitest";
import { claim, configMap, namespace, object, pod, volume } from "../../test/builders.ts";
import { commonTypes, resourceType } from "../../test/memory-types.ts";
import { restoreWorld } from "../../test/restore-world.ts";

const retained = (name: string, claimPlace: string) => {
  const made = volume(name, claimPlace);
  return { ...made, spec: { ...(made["spec"] as object), persistentVolumeReclaimPolicy: "Retain" } };
};
const backedUp: readonly KubernetesObject[] = [
  namespace("ns-1"),
  namespace("ns-2"),
  pod("ns-1/pod-1", { metadata: { labels: { a: "b" } } }),
  pod("ns-2/pod-2"),
  object("apps/v1", "Deployment", "ns-1/deploy-1"),
  object("apps/v1", "Deployment", "ns-2/deploy-2", { metadata: { labels: { c: "d" } } }),
  retained("pv-1", "ns-1/x"),
  object("rbac.authorization.k8s.io/v1", "ClusterRole", "role-1", { metadata: { labels: { a: "b" } } }),
];
const all = [
  "clusterroles role-1",
  "deployments ns-1/deploy-1",
  "deployments ns-2/deploy-2",
  "persistentvolumes pv-1",
  "pods ns-1/pod-1",
  "pods ns-2/pod-2",
];

const cases: Record<string, { spec: RestoreSpec; want: string[]; namespaces?: string[] }> = {
  "no filters restore everything": { spec: {}, want: all },
  "included types, by short and full name": {
    spec: { includedResources: ["po", "deployments.apps"] },
    want: all.filter((name) => /^(pods|deploy)/.test(name)),
  },
  "excluded types": {
    spec: { excludedResources: ["pv", "clusterroles"] },
    want: all.filter((name) => /^(pods|deploy)/.test(name)),
  },
  "an exclude wins over an include": {
    spec: { includedResources: ["pods", "deployments"], excludedResources: ["pods"] },
    want: all.filter((name) => name.startsWith("deploy")),
  },
  "included namespaces leave cluster-scoped items out": {
    spec: { includedNamespaces: ["ns-1"] },
    want: ["deployments ns-1/deploy-1", "pods ns-1/pod-1"],
    namespaces: ["ns-1"],
  },
  "excluded namespaces too": {
    spec: { excludedNamespaces: ["ns-2"] },
    want: ["deployments ns-1/deploy-1", "pods ns-1/pod-1"],
    namespaces: ["ns-1"],
  },
  "namespaces by pattern": {
    spec: { includedNamespaces: ["*-2"] },
    want: ["deployments ns-2/deploy-2", "pods ns-2/pod-2"],
    namespaces: ["ns-2"],
  },
  "a pattern that matches nothing restores nothing": {
    spec: { includedNamespaces: ["zz-*"] },
    want: [],
    namespaces: [],
  },
  "cluster-scoped items on request, with some namespaces": {
    spec: { includedNamespaces: ["ns-1"], includeClusterResources: true },
    want: ["clusterroles role-1", "deployments ns-1/deploy-1", "persistentvolumes pv-1", "pods ns-1/pod-1"],
    namespaces: ["ns-1", "ns-2"],
  },
  "no cluster-scoped items on request": {
    spec: { includeClusterResources: false },
    want: all.filter((name) => /^(pods|deploy)/.test(name)),
  },
  "a star includes all namespaces": { spec: { includedNamespaces: ["*"] }, want: all },
  "a label selector": {
    spec: { labelSelector: { matchLabels: { a: "b" } } },
    want: ["clusterroles role-1", "pods ns-1/pod-1"],
    namespaces: ["ns-1"],
  },
  "several selectors, of which one must match": {
    spec: { orLabelSelectors: [{ matchLabels: { a: "b" } }, { matchLabels: { c: "d" } }] },
    want: ["clusterroles role-1", "deployments ns-2/deploy-2", "pods ns-1/pod-1"],
  },
  "an unknown type selects nothing": { spec: { includedResources: ["unresolvable"] }, want: [], namespaces: [] },
  "an unknown type beside a known one": {
    spec: { includedResources: ["pods", "unresolvable"] },
    want: ["pods ns-1/pod-1", "pods ns-2/pod-2"],
  },
  "namespaces are mapped": {
    spec: { includedNamespaces: ["ns-1"], namespaceMapping: { "ns-1": "other" } },
    want: ["deployments other/deploy-1", "pods other/pod-1"],
    namespaces: ["other"],
  },
};

describe("a restore selects", () => {
  for (const [name, { spec, want, namespaces = ["ns-1", "ns-2"] }] of Object.entries(cases)) {
    test(name, async () => {
      using scope = testScope();
      const world = await restoreWorld({ backedUp, spec }, scope);
      const { status } = await world.run();
      expect([status.errors, status.warnings]).toEqual([0, 0]);
      const created = world.cluster.calls
        .filter((call) => call.startsWith("create "))
        .map((call) => call.slice("create ".length));
      const items = created
        .filter((call) => !call.startsWith("namespaces "))
        .map((call) => call.replace(/\.\S+ /, " "));
      expect(items.sort()).toEqual(want);
      expect(created.filter((call) => call.startsWith("namespaces ")).sort()).toEqual(
        namespaces.map((each) => `namespaces ${each}`),
      );
    });
  }
});

describe("a restore leaves out", () => {
  const skipped: Record<string, { item: KubernetesObject; line: string; counted: boolean }> = {
    "pods that have succeeded": {
      item: pod("a/x", { status: { phase: "Succeeded" } }),
      line: "pods a/x skipped has completed",
      counted: false,
    },
    "pods that have failed": {
      item: pod("a/x", { status: { phase: "Failed" } }),
      line: "pods a/x skipped has completed",
      counted: false,
    },
    "jobs that are done": {
      item: object("batch/v1", "Job", "a/x", { status: { completionTime: "2026-01-01T00:00:00Z" } }),
      line: "jobs.batch a/x skipped has completed",
      counted: false,
    },
    "mirror pods": {
      item: pod("a/x", { metadata: { annotations: { "kubernetes.io/config.mirror": "x" } } }),
      line: "pods a/x skipped is a mirror pod",
      counted: true,
    },
    "data uploads that no plugin takes": {
      item: object("velero.io/v2alpha1", "DataUpload", "a/x"),
      line: "datauploads.velero.io a/x skipped no plugin took it: data movement cannot be restored",
      counted: true,
    },
  };
  const types = [...commonTypes, resourceType("batch/v1", "Job"), resourceType("velero.io/v2alpha1", "DataUpload")];
  for (const [name, { item, line, counted }] of Object.entries(skipped)) {
    test(name, async () => {
      using scope = testScope();
      const world = await restoreWorld({ backedUp: [item], types }, scope);
      const { status } = await world.run();
      expect(status).toMatchObject({ errors: 0, progress: { itemsRestored: counted ? 2 : 1 } });
      expect(world.ledger().sort()).toEqual([line, "namespaces a created"].sort());
    });
  }
});

test("two namespaces mapped to one: the second item of a name is reported, not lost silently", async () => {
  using scope = testScope();
  const spec = { namespaceMapping: { a: "c", b: "c" } };
  const world = await restoreWorld({ backedUp: [configMap("a/x"), configMap("b/x"), configMap("b/y")], spec }, scope);
  await world.run();
  expect(world.ledger().map((line) => line.replace(/from .*/, "from …"))).toEqual([
    "configmaps c/x created",
    "configmaps c/x skipped an item of another namespace took its place; this one is from …",
    "configmaps c/y created",
    "namespaces c created",
  ]);
});

describe("waves", () => {
  const widget = resourceType("example.io/v1", "Widget", { shortNames: ["wd"] });
  const definition = (established = true) =>
    object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "widgets.example.io", {
      spec: {
        group: "example.io",
        scope: "Namespaced",
        names: { plural: "widgets", singular: "widget", kind: "Widget", shortNames: ["wd"] },
        versions: [{ name: "v1", served: true }],
      },
      status: established
        ? { conditions: ["Established", "NamesAccepted"].map((type) => ({ type, status: "True" })) }
        : {},
    });

  test("types of the backup's own CRDs are known by name before they exist, and served after", async () => {
    using scope = testScope();
    const world = await restoreWorld(
      {
        backedUp: [object("example.io/v1", "Widget", "shop/w"), definition()],
        sourceTypes: [...commonTypes, widget],
        spec: {
          includedResources: ["wd", "crd"],
          includeClusterResources: true,
          restoreStatus: { includedResources: ["crd"] },
        },
      },
      scope,
    );
    const discover = world.cluster.discover;
    let discoveries = 0;
    world.cluster.discover = async (inner) => {
      if (++discoveries === 3) world.cluster.addTypes(widget); // discovery lags behind
      return discover(inner);
    };
    const { status } = await world.run();
    expect(status).toMatchObject({ errors: 0, warnings: 0, progress: { totalItems: 3 } });
    expect(world.cluster.calls.filter((call) => call.startsWith("create"))).toEqual([
      "create customresourcedefinitions.apiextensions.k8s.io widgets.example.io",
      "create namespaces shop",
      "create widgets.example.io shop/w",
    ]);
  });

  test("a type that the target does not serve is an error of its items alone", async () => {
    using scope = testScope();
    const world = await restoreWorld(
      {
        backedUp: [object("example.io/v1", "Widget", "shop/w"), configMap("shop/a")],
        sourceTypes: [...commonTypes, widget],
      },
      scope,
    );
    const { status, results } = await world.run();
    expect(status).toMatchObject({ phase: "FinalizingPartiallyFailed", errors: 1 });
    expect(results.errors).toEqual({
      namespaces: {
        shop: ["error restoring widgets.example.io/shop/w: the cluster does not serve widgets in example.io/v1"],
      },
    });
    expect(world.cluster.read("configmaps", "a", "shop")).toBeDefined();
  });

  test("a CRD that is never established is an error, and the rest goes on", async () => {
    using scope = testScope();
    const world = await restoreWorld(
      {
        backedUp: [definition(false), configMap("shop/a")],
        types: [...commonTypes, widget],
        settings: { resourceTimeoutMs: 120 },
      },
      scope,
    );
    const { results } = await world.run();
    expect(results.errors.cluster).toEqual(["the CRD widgets.example.io is not available to use for custom resources"]);
    expect(world.cluster.read("configmaps", "a", "shop")).toBeDefined();
  });

  test("webhooks and API services come after the other types without priority", async () => {
    using scope = testScope();
    const types = [
      ...commonTypes,
      resourceType("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", { namespaced: false }),
      resourceType("apiregistration.k8s.io/v1", "APIService", { namespaced: false }),
    ];
    const world = await restoreWorld(
      {
        types,
        backedUp: [
          object("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "guard"),
          object("apiregistration.k8s.io/v1", "APIService", "v1.example.io"),
          object("apps/v1", "Deployment", "shop/web"),
          claim("shop/data", ""),
        ],
      },
      scope,
    );
    await world.run();
    const created = world.cluster.calls
      .filter((call) => call.startsWith("create"))
      .map((call) => call.split(" ")[1]?.split(".")[0]);
    expect(created.slice(0, 3)).toEqual(["namespaces", "persistentvolumeclaims", "deployments"]);
    expect(created.slice(3).sort()).toEqual(["apiservices", "validatingwebhookconfigurations"]);
    expect(world.events.map(({ wave }) => wave)).toContain("webhooks and API services");
  });
});
