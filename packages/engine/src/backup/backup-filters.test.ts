import type { BackupSpec, KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { describe, expect, test } from "vitest";
import { backUp } from "../../test/backup-harness.ts";
import { claim, configMap, namespace, object, pod, volume } from "../../test/builders.ts";
import { memoryCluster } from "../../test/memory-cluster.ts";
import { backupAction, memoryPlugins, watching } from "../../test/memory-plugins.ts";
import { commonTypes, resourceType } from "../../test/memory-types.ts";
import { volumeBackupActions } from "../../test/volume-actions.ts";

const labelled = { labels: { app: "shop" } };
const cluster: readonly KubernetesObject[] = [
  namespace("a"),
  namespace("b"),
  pod("a/one"),
  pod("b/two", { metadata: labelled }),
  object("apps/v1", "Deployment", "a/one"),
  object("apps/v1", "Deployment", "b/two", { metadata: { labels: { tier: "web" } } }),
  volume("pv-1", "a/data"),
  object("storage.k8s.io/v1", "StorageClass", "fast"),
];
const nsAll = ["namespaces a", "namespaces b"];
const namespaced = ["deployments.apps a/one", "deployments.apps b/two", "pods a/one", "pods b/two"];
const clusterScoped = ["persistentvolumes pv-1", "storageclasses.storage.k8s.io fast"];
const sorted = (...lists: string[][]) => lists.flat().sort();

const cases: Record<string, { spec: BackupSpec; want: string[] }> = {
  "takes everything without any filter": { spec: {}, want: sorted(namespaced, clusterScoped, nsAll) },
  "takes only included types": { spec: { includedResources: ["pods"] }, want: ["pods a/one", "pods b/two"] },
  "resolves short names": { spec: { includedResources: ["po", "deploy"] }, want: namespaced },
  "leaves out excluded types": {
    spec: { excludedResources: ["deployments", "sc"] },
    want: sorted(["pods a/one", "pods b/two", "persistentvolumes pv-1"], nsAll),
  },
  "selects nothing by names that nobody knows": { spec: { includedResources: ["unheardof"] }, want: [] },
  "takes only included namespaces, and no cluster-scoped types with them": {
    spec: { includedNamespaces: ["a"] },
    want: ["deployments.apps a/one", "namespaces a", "pods a/one"],
  },
  "leaves out excluded namespaces": {
    spec: { includedNamespaces: ["*"], excludedNamespaces: ["a"] },
    want: ["deployments.apps b/two", "namespaces b", "pods b/two"],
  },
  "expands namespace patterns": {
    spec: { includedNamespaces: ["[a-a]"] },
    want: ["deployments.apps a/one", "namespaces a", "pods a/one"],
  },
  "takes nothing when a pattern matches no namespace": { spec: { includedNamespaces: ["x*"] }, want: [] },
  "takes cluster-scoped types with some namespaces when told to": {
    spec: { includedNamespaces: ["a"], includeClusterResources: true },
    want: sorted(["deployments.apps a/one", "namespaces a", "pods a/one"], clusterScoped),
  },
  "takes no cluster-scoped types when told not to, not even namespaces": {
    spec: { includeClusterResources: false },
    want: namespaced,
  },
  "selects by label, and the namespaces that items come from": {
    spec: { labelSelector: { matchLabels: { app: "shop" } } },
    want: ["namespaces b", "pods b/two"],
  },
  "selects by any of several labels, each item once": {
    spec: {
      orLabelSelectors: [{ matchLabels: { app: "shop" } }, { matchExpressions: [{ key: "tier", operator: "Exists" }] }],
    },
    want: ["deployments.apps b/two", "namespaces b", "pods b/two"],
  },
  "takes a namespaced type by the new lists, with all namespaces": {
    spec: { includedNamespaceScopedResources: ["pods"] },
    want: sorted(["pods a/one", "pods b/two"], nsAll),
  },
  "takes cluster-scoped types by the new lists": {
    spec: { includedClusterScopedResources: ["storageclasses"] },
    want: sorted(namespaced, ["storageclasses.storage.k8s.io fast"], nsAll),
  },
  "takes only cluster-scoped types": {
    spec: { includedClusterScopedResources: ["*"], excludedNamespaceScopedResources: ["*"] },
    want: sorted(clusterScoped, nsAll),
  },
  "leaves out cluster-scoped types by the new lists": {
    spec: { excludedClusterScopedResources: ["storageclasses", "namespaces"] },
    want: namespaced,
  },
  "does not sweep cluster-scoped types once a new list names any": {
    spec: { excludedClusterScopedResources: ["storageclasses"] },
    want: sorted(namespaced, nsAll),
  },
};

describe("a backup", () => {
  for (const [name, { spec, want }] of Object.entries(cases)) {
    test(name, async () => {
      const outcome = await backUp({ objects: cluster, spec });
      expect(await outcome.paths()).toEqual(want);
      expect(outcome.result.phase).toBe("Finalizing");
      expect(Object.values(outcome.json<Record<string, string[]>>("resourceList")).flat()).toHaveLength(want.length);
    });
  }

  test("leaves out items with the exclude label, and says why", async () => {
    const hidden = { labels: { "velero.io/exclude-from-backup": "true" } };
    const shown = { labels: { "velero.io/exclude-from-backup": "false" } };
    const objects = [namespace("a"), configMap("a/hidden", hidden), configMap("a/shown", shown)];
    const outcome = await backUp({ objects });
    expect(await outcome.paths()).toEqual(["configmaps a/shown", "namespaces a"]);
    expect(outcome.ledger()).toContainEqual({
      resource: "configmaps",
      namespace: "a",
      name: "hidden",
      outcome: "skipped",
      reason: "item has label velero.io/exclude-from-backup=true",
    });
  });

  test("leaves out what is being deleted, and namespaces that are not active", async () => {
    const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };
    const ending = object("v1", "Namespace", "b", { status: { phase: "Terminating" } });
    const outcome = await backUp({
      objects: [namespace("a"), ending, configMap("a/gone", deleted), configMap("a/here")],
    });
    expect(await outcome.paths()).toEqual(["configmaps a/here", "namespaces a"]);
  });

  test("says which included namespaces do not exist, and goes on", async () => {
    const outcome = await backUp({ objects: cluster, spec: { includedNamespaces: ["a", "missing"] } });
    expect(outcome.result.phase).toBe("FinalizingPartiallyFailed");
    expect(outcome.results().errors).toEqual({
      velero: [
        " resource: /namespaces message: /fail to get the namespace missing specified in backup.Spec.IncludedNamespaces",
      ],
    });
    expect(await outcome.paths()).toContain("pods a/one");
  });

  test("warns about namespaces that ArgoCD manages", async () => {
    const objects = [namespace("a", { labels: { "argocd.argoproj.io/managed-by": "argo" } }), configMap("a/one")];
    const outcome = await backUp({ objects });
    expect(outcome.result.status.warnings).toBe(1);
    expect(outcome.results().warnings.velero?.[0]).toContain("namespaces [a] managed by ArgoCD");
  });

  test("takes of two groups that serve the same objects only the first", async () => {
    const types = [...commonTypes, resourceType("extensions/v1beta1", "Deployment")];
    const both = memoryCluster({ types, objects: [namespace("a"), object("apps/v1", "Deployment", "a/one")] });
    both.add(object("extensions/v1beta1", "Deployment", "a/one"));
    const outcome = await backUp({ cluster: both, spec: { includedResources: ["*"] } });
    expect(await outcome.paths()).toEqual(["deployments.apps a/one", "namespaces a"]);
    const again = await backUp({ cluster: both, spec: { includedResources: ["*"] } });
    expect(await again.paths()).toEqual(["deployments.apps a/one", "namespaces a"]);
  });

  test("stores every version of a type when asked to", async () => {
    const types = [...commonTypes, resourceType("apps/v1beta1", "ReplicaSet"), resourceType("example.io/v1", "Widget")];
    types.push(resourceType("example.io/v1alpha1", "Widget"));
    const many = memoryCluster({ types, objects: [namespace("a"), object("example.io/v1", "Widget", "a/one")] });
    const features = ["EnableAPIGroupVersions"];
    const outcome = await backUp({ cluster: many, options: { features } });
    expect(outcome.json("resourceList")).toEqual({
      "example.io/v1/Widget": ["a/one"],
      "example.io/v1alpha1/Widget": ["a/one"],
      "v1/Namespace": ["a"],
    });
  });
});

describe("definitions of custom resources", () => {
  const types = [...commonTypes, resourceType("example.io/v1", "Widget")];
  const crd = object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "widgets.example.io");
  const objects = [namespace("a"), crd, object("example.io/v1", "Widget", "a/one")];
  const definition = "customresourcedefinitions.apiextensions.k8s.io widgets.example.io";
  const specs: Record<string, { spec: BackupSpec; want: boolean }> = {
    "come along with their items": { spec: { includedNamespaces: ["a"] }, want: true },
    "come with everything": { spec: {}, want: true },
    "come along when cluster-scoped types are left out by default": {
      spec: { includedNamespaces: ["a"], includedResources: ["*"] },
      want: true,
    },
    "stay out when cluster-scoped types are switched off": { spec: { includeClusterResources: false }, want: false },
    "stay out when they are excluded": { spec: { excludedClusterScopedResources: ["crd"] }, want: false },
    "stay out without an item": { spec: { includedNamespaces: ["none*"] }, want: false },
  };
  for (const [name, { spec, want }] of Object.entries(specs)) {
    test(name, async () => {
      const outcome = await backUp({ cluster: memoryCluster({ types, objects }), spec });
      expect((await outcome.paths()).includes(definition)).toBe(want);
    });
  }
});

describe("the order", () => {
  test("of the core group is pods, claims, volumes, the rest", async () => {
    const objects = [namespace("a"), configMap("a/x"), pod("a/x"), claim("a/x", ""), volume("x", "a/x")];
    const seen: string[] = [];
    const watch = watching({}, (item) => seen.push(item.kind));
    const options = { itemBlockConcurrency: 1 };
    await backUp({ objects, options, plugins: memoryPlugins({ backup: [watch] }) });
    expect(seen).toEqual(["Pod", "PersistentVolumeClaim", "PersistentVolume", "ConfigMap", "Namespace"]);
  });

  test("that the spec asks for comes first, also with many at once; missing names are warnings", async () => {
    const names = Array.from({ length: 50 }, (_, index) => `p${index}`);
    const order = names.toReversed().map((name) => `a/${name}`);
    const seen: string[] = [];
    const watch = backupAction("example.io/watch", { includedResources: ["pods"] }, async (item) => {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(`a/${item.metadata.name}`);
      return {};
    });
    const outcome = await backUp({
      objects: [namespace("a"), ...names.map((name) => pod(`a/${name}`))],
      spec: { orderedResources: { pods: [...order.slice(0, 49), "a/missing"].join(",") } },
      plugins: memoryPlugins({ backup: [watch] }),
    });
    expect(seen).toEqual(order); // the one that is not named comes last
    expect(outcome.results().warnings).toEqual({ velero: [" message: /Cannot find resource 'a/missing'."] });
  });
});

test("claims and volumes of an included namespace come along through actions", async () => {
  const objects = [
    namespace("a"),
    pod("a/one", { claims: ["data"] }),
    claim("a/data", "pv-1"),
    volume("pv-1", "a/data"),
  ];
  const plugins = memoryPlugins({ backup: volumeBackupActions() });
  const outcome = await backUp({ objects, plugins, spec: { includedNamespaces: ["a"] } });
  expect(await outcome.paths()).toContain("persistentvolumes pv-1");
  const blocked = await backUp({
    objects,
    plugins,
    spec: { includedNamespaces: ["a"], includedResources: ["pods", "persistentvolumeclaims"] },
  });
  expect(await blocked.paths()).toEqual(["persistentvolumeclaims a/data", "pods a/one"]);
});

test("many included namespaces are listed together, few one by one; the items are the same", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
  const objects = names.flatMap((name) => [namespace(name), configMap(`${name}/x`)]);
  for (const [count, lists] of [
    [3, 3],
    [15, 1],
  ] as const) {
    const outcome = await backUp({ objects, spec: { includedNamespaces: names.slice(0, count) } });
    expect(await outcome.paths()).toHaveLength(2 * count);
    expect(outcome.cluster.calls.filter((call) => call.startsWith("list configmaps"))).toHaveLength(lists);
  }
});
