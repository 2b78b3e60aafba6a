import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { type FakeClock, fakeClock } from "@jibe/testkit";
import { claim, configMap, namespace, object, pod, volume } from "../../packages/engine/test/builders.ts";
import { type MemoryCluster, memoryCluster } from "../../packages/engine/test/memory-cluster.ts";
import { type MemoryStore, memoryStore } from "../../packages/engine/test/memory-store.ts";
import { commonTypes } from "../../packages/engine/test/memory-types.ts";
import { veleroTypes } from "../../packages/jibe/src/api/index.ts";
import { doneAnnotation, Provider } from "./provider.ts";
import type { SeededRandom } from "./seeded-random.ts";

export const serverNamespace = "velero";
export const sourceNamespace = "shop";
export const targetNamespace = "copy";
export const backupName = "b1";
export const restoreName = "r1";

/** All that outlives a server: the cluster, the store, what the plugins have under way, and time. */
export interface SimulatedWorld {
  readonly clock: FakeClock;
  readonly cluster: MemoryCluster;
  readonly store: MemoryStore;
  readonly provider: Provider;
  /** Objects that were created, by type and place, with how often. */
  readonly created: ReadonlyMap<string, number>;
}

export interface WorldOptions {
  /** As a cluster would that lets an object be created over another. */
  readonly overwrites: boolean;
  readonly hasOperations: boolean;
}

export function simulatedWorld(random: SeededRandom, { overwrites, hasOperations }: WorldOptions): SimulatedWorld {
  const clock = fakeClock();
  const plain = memoryCluster({
    types: [...commonTypes, ...Object.values(veleroTypes)],
    objects: sourceObjects(hasOperations),
  });
  const created = new Map<string, number>();
  const cluster: MemoryCluster = {
    ...plain,
    async create(type, request, scope) {
      const { namespace: place = "", body } = request;
      const { name } = body.object.metadata;
      if (overwrites && plain.read(type.resource, name, place)) plain.remove(type.resource, name, place);
      const made = await plain.create(type, request, scope);
      const key = `${type.resource} ${place}/${made.object.metadata.name}`;
      created.set(key, (created.get(key) ?? 0) + 1);
      return made;
    },
  };
  const onItemDone = (place: string, operationId: string) => {
    const [space = "", name = ""] = place.split("/");
    const found = cluster.read("configmaps", name, space);
    if (!found) return;
    const annotations = { ...found.metadata.annotations, [doneAnnotation]: operationId };
    cluster.add({ ...found, metadata: { ...found.metadata, annotations } });
  };
  return { clock, cluster, store: memoryStore(), provider: new Provider({ clock, random, onItemDone }), created };
}

/** What is backed up: items with and without operations, volumes of both kinds of snapshotters. */
function sourceObjects(hasOperations: boolean): KubernetesObject[] {
  const operation = hasOperations ? { labels: { operation: "true" } } : {};
  const disk = { labels: { snapshots: hasOperations ? "asynchronous" : "immediate" } };
  return [
    namespace(serverNamespace),
    namespace(sourceNamespace),
    configMap(`${sourceNamespace}/plain`),
    configMap(`${sourceNamespace}/first`, operation),
    configMap(`${sourceNamespace}/second`, operation),
    object("v1", "Secret", `${sourceNamespace}/token`, { data: { key: "c2VjcmV0" } }),
    pod(`${sourceNamespace}/web`, { claims: ["disk", "tape"] }),
    claim(`${sourceNamespace}/disk`, "pv-disk"),
    claim(`${sourceNamespace}/tape`, "pv-tape"),
    volume("pv-disk", `${sourceNamespace}/disk`, { metadata: disk }),
    volume("pv-tape", `${sourceNamespace}/tape`, { metadata: { labels: { snapshots: "immediate" } } }),
    velero("BackupStorageLocation", "default", {
      spec: { provider: "simulation", default: true, objectStorage: { bucket: "b" } },
      status: { phase: "Available" },
    }),
    velero("VolumeSnapshotLocation", "asynchronous", { spec: { provider: "simulation/asynchronous" } }),
    velero("VolumeSnapshotLocation", "immediate", { spec: { provider: "simulation/immediate" } }),
  ];
}

export function velero(kind: string, name: string, content: object): KubernetesObject {
  return object("velero.io/v1", kind, `${serverNamespace}/${name}`, { ...content });
}

export const requestedBackup = () =>
  velero("Backup", backupName, {
    spec: { includedNamespaces: [sourceNamespace], itemOperationTimeout: "10m0s", storageLocation: "default" },
  });

export const requestedRestore = () =>
  velero("Restore", restoreName, {
    spec: {
      backupName,
      namespaceMapping: { [sourceNamespace]: targetNamespace },
      includedNamespaces: [sourceNamespace],
      itemOperationTimeout: "10m0s",
    },
  });
