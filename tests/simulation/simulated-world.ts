import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { type FakeClock, fakeClock } from "@jibe/testkit";
import { claim, configMap, namespace, object, pod, volume } from "../../packages/engine/test/builders.ts";
import { type MemoryCluster, memoryCluster } from "../../packages/engine/test/memory-cluster.ts";
import { type MemoryStore, memoryStore } from "../../packages/engine/test/memory-store.ts";
import { commonTypes } from "../../packages/engine/test/memory-types.ts";
import { veleroTypes } from "../../packages/jibe/src/api/index.ts";
import { labels } from "../../packages/jibe/src/api/names.ts";
import { doneAnnotation, Provider } from "./provider.ts";
import type { SeededRandom } from "./seeded-random.ts";

export const serverNamespace = "velero";

type Source = "shop" | "mill";

/** A backup and the restore that is made of it. */
export interface RunPlan {
  readonly backup: string;
  readonly restore: string;
  readonly source: Source;
  readonly target: string;
}

/** The second runs beside the first; the third waits in line, as it shares its namespace with the first. */
export const runPlans: readonly RunPlan[] = [
  { backup: "b1", restore: "r1", source: "shop", target: "copy-1" },
  { backup: "b2", restore: "r2", source: "mill", target: "copy-2" },
  { backup: "b3", restore: "r3", source: "shop", target: "copy-3" },
];

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
    objects: [...sourceObjects("shop", hasOperations), ...sourceObjects("mill", hasOperations), ...serverObjects],
  });
  const created = new Map<string, number>();
  const cluster: MemoryCluster = {
    ...withFinalizers(plain),
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

/** As an API server deletes: what has finalizers stays, marked, until the last of them is gone. */
function withFinalizers(plain: MemoryCluster): MemoryCluster {
  const isHeld = (found: KubernetesObject | undefined) => (found?.metadata.finalizers ?? []).length > 0;
  return {
    ...plain,
    async delete(type, name, scope) {
      const found = plain.read(`${type.resource}.${type.group}`.replace(/\.$/, ""), name.name, name.namespace);
      if (!found || !isHeld(found)) return plain.delete(type, name, scope);
      scope.signal.throwIfAborted();
      plain.add({ ...found, metadata: { ...found.metadata, deletionTimestamp: deletedAt } });
    },
    async patch(type, request, scope) {
      const patched = await plain.patch(type, request, scope);
      const { deletionTimestamp } = patched.object.metadata;
      if (deletionTimestamp !== undefined && !isHeld(patched.object)) await plain.delete(type, request, scope);
      return patched;
    },
  };
}

export const deletedAt = "2026-01-01T00:00:00Z";

/** What is backed up: items with and without operations, volumes of both kinds of snapshotters. */
function sourceObjects(source: Source, hasOperations: boolean): KubernetesObject[] {
  const operation = hasOperations ? { labels: { operation: "true" } } : {};
  const disk = { labels: { snapshots: hasOperations ? "asynchronous" : "immediate" } };
  const few = [
    namespace(source),
    configMap(`${source}/first`, operation),
    object("v1", "Secret", `${source}/token`, { data: { key: "c2VjcmV0" } }),
    claim(`${source}/disk`, `pv-${source}-disk`),
    volume(`pv-${source}-disk`, `${source}/disk`, { metadata: disk }),
  ];
  if (source === "mill") return few;
  return [
    ...few,
    configMap(`${source}/plain`),
    configMap(`${source}/second`, operation),
    pod(`${source}/web`, { claims: ["disk", "tape"] }),
    claim(`${source}/tape`, `pv-${source}-tape`),
    volume(`pv-${source}-tape`, `${source}/tape`, { metadata: { labels: { snapshots: "immediate" } } }),
  ];
}

/** Where each of them is to be in an archive. */
export function expectedItems(source: Source): string[] {
  return sourceObjects(source, true).map(({ kind, metadata: { namespace: place, name } }) => {
    return `${kind.toLowerCase()}s ${place === undefined ? "" : `${place}/`}${name}`;
  });
}

const serverObjects: readonly KubernetesObject[] = [
  namespace(serverNamespace),
  velero("BackupStorageLocation", "default", {
    spec: { provider: "simulation", default: true, objectStorage: { bucket: "b" } },
    status: { phase: "Available" },
  }),
  velero("VolumeSnapshotLocation", "asynchronous", { spec: { provider: "simulation/asynchronous" } }),
  velero("VolumeSnapshotLocation", "immediate", { spec: { provider: "simulation/immediate" } }),
];

function velero(kind: string, name: string, content: object): KubernetesObject {
  const made = object("velero.io/v1", kind, `${serverNamespace}/${name}`, { ...content });
  const metadata = { ...made.metadata, uid: `uid-of-${name}`, creationTimestamp: "2026-01-01T00:00:00Z" };
  return { ...made, metadata };
}

export const requestedBackup = ({ backup, source }: RunPlan) =>
  velero("Backup", backup, {
    spec: { includedNamespaces: [source], itemOperationTimeout: "10m0s", storageLocation: "default" },
  });

export const requestedRestore = ({ backup, restore, source, target }: RunPlan) =>
  velero("Restore", restore, {
    spec: {
      backupName: backup,
      namespaceMapping: { [source]: target },
      includedNamespaces: [source],
      itemOperationTimeout: "10m0s",
    },
  });

export const requestedDeletion = (name: string, backupName: string): KubernetesObject => {
  const made = velero("DeleteBackupRequest", name, { spec: { backupName } });
  return { ...made, metadata: { ...made.metadata, labels: { [labels.backupName]: backupName } } };
};
