import { parseJson, systemClock } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { testScope } from "@jibe/testkit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { backUp } from "../../test/backup-harness.ts";
import { memoryCluster } from "../../test/memory-cluster.ts";
import { memoryPlugins } from "../../test/memory-plugins.ts";
import { memoryScratch } from "../../test/memory-scratch.ts";
import { commonTypes, resourceType } from "../../test/memory-types.ts";
import { apiVersionOf, groupResourceOf, type ResourceType } from "../ports/cluster.ts";
import { runRestore } from "./run-restore.ts";

const custom = [
  resourceType("example.io/v1", "Widget"),
  resourceType("example.io/v1", "Gadget", { namespaced: false }),
  resourceType("batch/v1", "Job"),
  resourceType("batch/v1", "CronJob"),
  resourceType("apps/v1", "StatefulSet"),
  resourceType("apps/v1", "DaemonSet"),
  resourceType("networking.k8s.io/v1", "Ingress"),
  resourceType("networking.k8s.io/v1", "NetworkPolicy"),
  resourceType("rbac.authorization.k8s.io/v1", "Role"),
  resourceType("rbac.authorization.k8s.io/v1", "RoleBinding"),
  resourceType("v1", "LimitRange"),
  resourceType("v1", "ResourceQuota"),
];
const types = [...commonTypes, ...custom];
// Not in here: what restores never touch (events, nodes), and what follows rules of its own (volumes, CRDs, namespaces).
const kinds = types.filter(
  ({ kind }) => !["Event", "Node", "PersistentVolume", "CustomResourceDefinition", "Namespace"].includes(kind),
);

const number = fc.oneof(
  fc.integer().map(String),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }).map(String),
  fc.constantFrom("1.50", "-0.0", "1e3"),
);
const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.constantFrom("<&>", "\u2028", "ümläut"),
);
const value = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    number,
    text.map((each) => JSON.stringify(each)),
    fc.constantFrom("true", "null", "{}", "[]"),
    fc.array(tie("value"), { maxLength: 3 }).map((list) => `[${list.join(",")}]`),
    fc.dictionary(fc.string({ minLength: 1, maxLength: 5 }), tie("value"), { maxKeys: 3, noNullPrototype: true }).map(
      (fields) =>
        `{${Object.entries(fields)
          .map(([key, member]) => `${JSON.stringify(key)}:${member}`)
          .join(",")}}`,
    ),
  ),
})).value;

const name = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
const labels = fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.stringMatching(/^[a-z0-9]{0,4}$/), {
  maxKeys: 2,
  noNullPrototype: true,
});
const item = fc.record({
  type: fc.constantFrom(...kinds),
  name,
  namespace: fc.constantFrom("one", "two", "three"),
  labels,
  spec: value,
  finalizers: fc.constantFrom([], ["example.io/keep"]),
  isOwned: fc.boolean(),
});
type Item = typeof item extends fc.Arbitrary<infer T> ? T : never;

function objectOf({
  type,
  name: itemName,
  namespace,
  labels: itemLabels,
  spec,
  finalizers,
  isOwned,
}: Item): KubernetesObject {
  const metadata = {
    name: itemName,
    ...(type.namespaced ? { namespace } : {}),
    uid: `uid-${itemName}`,
    labels: itemLabels,
    ...(finalizers.length > 0 ? { finalizers } : {}),
    ...(isOwned ? { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "owner", uid: "u" }] } : {}),
  };
  const head = JSON.stringify({ apiVersion: apiVersionOf(type), kind: type.kind, metadata });
  return parseJson(`${head.slice(0, -1)},"spec":${spec}}`) as KubernetesObject;
}

/** What a restore is to bring back: everything but what servers make, owners, and the marks of the restore. */
function essence(object: KubernetesObject | undefined): string {
  if (!object) return "absent";
  const {
    uid: _,
    resourceVersion: __,
    creationTimestamp: ___,
    ownerReferences: ____,
    managedFields: _____,
    ...metadata
  } = object.metadata;
  const { "velero.io/backup-name": ______, "velero.io/restore-name": _______, ...kept } = metadata.labels ?? {};
  return JSON.stringify({ ...object, metadata: { ...metadata, labels: kept } });
}

test("restore(backup(cluster)) is the cluster, for clusters of all sorts", async () => {
  const histogram = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(item, { minLength: 1, maxLength: 40 }),
      fc.constantFrom(1, 7, 64),
      async (items, concurrency) => {
        using scope = testScope();
        const source = memoryCluster({ types });
        const stored = new Map<string, { readonly type: ResourceType; readonly object: KubernetesObject }>();
        for (const each of items) {
          const object = objectOf(each);
          const key = `${groupResourceOf(each.type)} ${object.metadata.namespace ?? ""}/${object.metadata.name}`;
          if (stored.has(key)) continue;
          stored.set(key, { type: each.type, object });
          source.add(object);
          histogram.set(each.type.kind, (histogram.get(each.type.kind) ?? 0) + 1);
        }
        for (const namespace of ["one", "two", "three"])
          source.add({
            apiVersion: "v1",
            kind: "Namespace",
            metadata: { name: namespace },
            status: { phase: "Active" },
          });
        const { store, result } = await backUp({ cluster: source, spec: { includeClusterResources: true } });
        expect(result.phase).toBe("Finalizing");
        const target = memoryCluster({ types });
        const restored = await runRestore(
          {
            restore: {
              apiVersion: "velero.io/v1",
              kind: "Restore",
              metadata: { name: "r1", namespace: "velero" },
              spec: { backupName: "b1" },
            },
            backup: {
              apiVersion: "velero.io/v1",
              kind: "Backup",
              metadata: { name: "b1", namespace: "velero" },
              spec: {},
              status: { formatVersion: "1.1.0" },
            },
            settings: { concurrency },
          },
          {
            cluster: target,
            plugins: memoryPlugins(),
            store,
            scratch: memoryScratch(),
            clock: systemClock,
            patchStatus: async () => {},
            snapshotLocation: async () => ({ provider: "", config: {} }),
          },
          scope,
        );
        expect(restored.results).toEqual({ errors: {}, warnings: {} });
        expect(restored.status.progress?.itemsRestored).toBe(stored.size + 3);
        for (const { type, object } of stored.values()) {
          const { namespace = "", name: objectName } = object.metadata;
          expect(essence(target.read(groupResourceOf(type), objectName, namespace))).toBe(essence(object));
        }
      },
    ),
    { numRuns: 40 },
  );
  const seen = [...histogram].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => `${kind} ${count}`);
  process.stdout.write(`kinds restored: ${seen.join(", ")}\n`);
  expect(histogram.size).toBeGreaterThanOrEqual(20);
});
