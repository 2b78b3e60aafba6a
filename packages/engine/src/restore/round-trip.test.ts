import { type Clock, systemClock } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { backUp } from "../../test/backup-harness.ts";
import { type MemoryCluster, memoryCluster } from "../../test/memory-cluster.ts";
import { restoreAction } from "../../test/memory-plugins.ts";
import { builtInTypes, definedTypes, type RandomItem, randomCluster } from "../../test/random-cluster.ts";
import { runInWorld } from "../../test/restore-world.ts";
import { backupKeys } from "../layout/object-keys.ts";
import { groupResourceOf } from "../ports/cluster.ts";

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

/** A cluster that serves a defined type once it has the definition. */
function emptyTarget(): MemoryCluster {
  const target = memoryCluster({ types: builtInTypes });
  const { create } = target;
  target.create = async (type, request, scope) => {
    const created = await create(type, request, scope);
    const defined = definedTypes.find((each) => groupResourceOf(each) === created.object.metadata.name);
    if (defined) target.addTypes(defined);
    return created;
  };
  return target;
}

/** Time that runs so fast that every number is shown. */
function hastyClock(): Clock {
  let nowMs = 0;
  return {
    ...systemClock,
    monotonicMs: () => {
      nowMs += 1000;
      return nowMs;
    },
  };
}

/** Asks for the item's companion, so that totals move while the restore goes on. */
function askingFor(items: readonly RandomItem[]) {
  const companions = new Map(items.map(({ object, asksFor }) => [keyOf(object), asksFor]));
  return restoreAction("x/asks", {}, (item) => {
    const companion = companions.get(keyOf(item));
    return companion ? { additionalItems: [companion] } : {};
  });
}

const keyOf = ({ kind, metadata: { namespace = "", name } }: KubernetesObject) => `${kind} ${namespace}/${name}`;

async function backUpAndRestore(items: readonly RandomItem[], concurrency: number) {
  const source = memoryCluster({
    types: [...builtInTypes, ...definedTypes],
    objects: items.map((each) => each.object),
  });
  const { store, result } = await backUp({ cluster: source, spec: { includeClusterResources: true } });
  expect(result.phase).toBe("Finalizing");
  const archive = store.objects.get(backupKeys("b1").contents);
  if (!archive) throw new Error("the backup has no archive");
  return runInWorld({
    archive,
    cluster: emptyTarget(),
    actions: [askingFor(items)],
    settings: { concurrency },
    clock: hastyClock(),
    // Nobody else is there to say that a definition is established.
    spec: { restoreStatus: { includedResources: ["crd"] } },
  });
}

test("restore(backup(cluster)) is the cluster, for clusters of all sorts, and the count of items never falls", async () => {
  const histogram = new Map<string, number>();
  const property = fc.asyncProperty(randomCluster, fc.constantFrom(1, 7, 64), async (items, concurrency) => {
    for (const { type } of items) histogram.set(type.kind, (histogram.get(type.kind) ?? 0) + 1);
    const { cluster, results, statuses, events, status } = await backUpAndRestore(items, concurrency);
    expect(results).toEqual({ errors: {}, warnings: {} });
    for (const { type, object } of items.filter((each) => each.type.kind !== "Namespace")) {
      const { namespace = "", name } = object.metadata;
      expect(essence(cluster.read(groupResourceOf(type), name, namespace))).toBe(essence(object));
    }
    const shown = events.map(({ itemsDone }) => itemsDone);
    expect(shown).toEqual(shown.toSorted((one, other) => one - other));
    const written = statuses.map(({ progress }) => progress?.itemsRestored ?? 0);
    expect(written).toEqual(written.toSorted((one, other) => one - other));
    expect(status.progress).toEqual({ totalItems: items.length, itemsRestored: items.length });
    expect(statuses.at(-1)?.progress).toEqual(status.progress);
  });
  await fc.assert(property, { numRuns: 40 });
  const seen = [...histogram].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => `${kind} ${count}`);
  process.stdout.write(`kinds restored: ${seen.join(", ")}\n`);
  expect(histogram.size).toBeGreaterThanOrEqual(20);
});
