import { type Clock, retry, type Scope } from "@jibe/base";
import {
  type BackupAction,
  type Cluster,
  groupResourceOf,
  type ObjectStore,
  type ResourceType,
  type RestoreAction,
  type Snapshotter,
} from "@jibe/engine";

/** Lets one call through, or not. */
export type Gate = <T>(name: string, effect: () => Promise<T>, scope: Scope) => Promise<T>;

/** The cluster as a server reaches it. Calls that change nothing are tried again for a while, as every cluster owes. */
export function gatedCluster(cluster: Cluster, everyCall: Gate, clock: Clock): Cluster {
  const policy = { attempts: 5, firstDelayMs: 500, maxDelayMs: 8000, clock };
  const gate: Gate = (name, effect, scope) => {
    const isSafe = /^cluster (discover|version|list|get|follow)/.test(name);
    return isSafe ? retry(() => everyCall(name, effect, scope), policy, scope) : everyCall(name, effect, scope);
  };
  const at = (type: ResourceType, { namespace, name }: { readonly namespace?: string; readonly name: string }) =>
    `${groupResourceOf(type)} ${namespace ? `${namespace}/` : ""}${name}`;
  return {
    discover: (scope) => gate("cluster discover", () => cluster.discover(scope), scope),
    version: (scope) => gate("cluster version", () => cluster.version(scope), scope),
    async *listPages(type, options, scope) {
      const list = () => Array.fromAsync(cluster.listPages(type, options, scope));
      yield* await gate(`cluster list ${groupResourceOf(type)} ${options.namespace ?? ""}`, list, scope);
    },
    get: (type, name, scope) => gate(`cluster get ${at(type, name)}`, () => cluster.get(type, name, scope), scope),
    create: (type, request, scope) => {
      const { name } = request.body.object.metadata;
      const { namespace = "" } = request;
      return gate(`cluster create ${at(type, { namespace, name })}`, () => cluster.create(type, request, scope), scope);
    },
    patch: (type, request, scope) =>
      gate(`cluster patch ${at(type, request)}`, () => cluster.patch(type, request, scope), scope),
    updateStatus: (type, request, scope) =>
      gate(`cluster update ${at(type, request)}`, () => cluster.updateStatus(type, request, scope), scope),
    delete: (type, name, scope) =>
      gate(`cluster delete ${at(type, name)}`, () => cluster.delete(type, name, scope), scope),
    async *follow(type, name, scope) {
      await gate(`cluster follow ${at(type, name)}`, async () => {}, scope);
      yield* cluster.follow(type, name, scope);
    },
    exec: (request, scope) => gate(`cluster exec ${request.pod}`, () => cluster.exec(request, scope), scope),
  };
}

/** The store as a server reaches it. */
export function gatedStore(store: ObjectStore, gate: Gate): ObjectStore {
  const read = (name: string, listing: () => AsyncIterable<string>, scope: Scope) =>
    gate(name, () => Array.fromAsync(listing()), scope);
  return {
    async *get(key, scope) {
      yield* await gate(`store get ${key}`, () => Array.fromAsync(store.get(key, scope)), scope);
    },
    put: (key, body, scope) => gate(`store put ${key}`, () => store.put(key, body, scope), scope),
    exists: (key, scope) => gate(`store exists ${key}`, () => store.exists(key, scope), scope),
    delete: (key, scope) => gate(`store delete ${key}`, () => store.delete(key, scope), scope),
    async *list(prefix, scope) {
      yield* await read(`store list ${prefix}`, () => store.list(prefix, scope), scope);
    },
    async *listPrefixes(prefix, scope) {
      yield* await read(`store list prefixes ${prefix}`, () => store.listPrefixes(prefix, scope), scope);
    },
    signedUrl: (key, ttlMs, scope) => gate(`store sign ${key}`, () => store.signedUrl(key, ttlMs, scope), scope),
  };
}

export function gatedBackupAction(action: BackupAction, gate: Gate): BackupAction {
  const { name } = action;
  return {
    name,
    appliesTo: (scope) => action.appliesTo(scope),
    execute: (body, backup, scope) =>
      gate(`plugin ${name} execute ${body.object.metadata.name}`, () => action.execute(body, backup, scope), scope),
    progress: (id, backup, scope) =>
      gate(`plugin ${name} progress ${id}`, () => action.progress(id, backup, scope), scope),
    cancel: (id, backup, scope) => gate(`plugin ${name} cancel ${id}`, () => action.cancel(id, backup, scope), scope),
  };
}

export function gatedRestoreAction(action: RestoreAction, gate: Gate): RestoreAction {
  const { name } = action;
  return {
    name,
    appliesTo: (scope) => action.appliesTo(scope),
    execute: (input, scope) =>
      gate(`plugin ${name} execute ${input.body.object.metadata.name}`, () => action.execute(input, scope), scope),
    progress: (id, restore, scope) =>
      gate(`plugin ${name} progress ${id}`, () => action.progress(id, restore, scope), scope),
    cancel: (id, restore, scope) => gate(`plugin ${name} cancel ${id}`, () => action.cancel(id, restore, scope), scope),
    areAdditionalItemsReady: (items, restore, scope) => action.areAdditionalItemsReady(items, restore, scope),
  };
}

export function gatedSnapshotter(snapshotter: Snapshotter, gate: Gate): Snapshotter {
  const { name, asynchronous } = snapshotter;
  const pass = <T>(what: string, effect: () => Promise<T>, scope: Scope) =>
    gate(`plugin ${name} ${what}`, effect, scope);
  return {
    name,
    asynchronous,
    init: (config, scope) => pass("init", () => snapshotter.init(config, scope), scope),
    getVolumeId: (volume, scope) => snapshotter.getVolumeId(volume, scope),
    setVolumeId: (volume, id, scope) => snapshotter.setVolumeId(volume, id, scope),
    getVolumeInfo: (volume, scope) =>
      pass(`info ${volume.volumeId}`, () => snapshotter.getVolumeInfo(volume, scope), scope),
    createSnapshot: (request, scope) =>
      pass(`snapshot ${request.volumeId}`, () => snapshotter.createSnapshot(request, scope), scope),
    deleteSnapshot: (id, scope) => pass(`delete ${id}`, () => snapshotter.deleteSnapshot(id, scope), scope),
    createVolumeFromSnapshot: (request, scope) =>
      pass(`volume from ${request.snapshotId}`, () => snapshotter.createVolumeFromSnapshot(request, scope), scope),
    progress: (id, scope) => pass(`progress ${id}`, () => snapshotter.progress(id, scope), scope),
    cancel: (id, scope) => pass(`cancel ${id}`, () => snapshotter.cancel(id, scope), scope),
  };
}
