import type { Cluster, ObjectStore, RunPlugins, Snapshotter } from "@jibe/engine";
import { groupResourceOf } from "@jibe/engine";

/** Told each time a named port call is about to be made, and each time it has been. */
export type Pass = (point: string) => void;

/** The parts of the calls' names that differ from run to run. */
function file(key: string): string {
  return key.replace(/^.*\//, "").replace(/^(restore-)?[a-z]+\d+/, "");
}

async function passing<T>(pass: Pass, point: string, call: () => Promise<T>): Promise<T> {
  pass(point);
  const answer = await call();
  pass(`${point}, done`);
  return answer;
}

/** The cluster, with a point at each write. */
export function passedCluster(cluster: Cluster, pass: Pass): Cluster {
  return {
    discover: (scope) => passing(pass, "discover", () => cluster.discover(scope)),
    version: (scope) => cluster.version(scope),
    listPages: (type, options, scope) => {
      if (type.group === "" && options.namespace !== undefined) pass(`list ${type.resource}`);
      return cluster.listPages(type, options, scope);
    },
    get: (type, name, scope) => cluster.get(type, name, scope),
    create: (type, request, scope) =>
      passing(pass, `create ${groupResourceOf(type)}`, () => cluster.create(type, request, scope)),
    patch: (type, request, scope) =>
      passing(pass, `patch ${groupResourceOf(type)}`, () => cluster.patch(type, request, scope)),
    updateStatus: (type, request, scope) => cluster.updateStatus(type, request, scope),
    delete: (type, name, scope) => cluster.delete(type, name, scope),
    follow: (type, name, scope) => cluster.follow(type, name, scope),
    exec: (request, scope) => cluster.exec(request, scope),
  };
}

/** A store, with a point at each write and at each reading of a whole file. */
export function passedStore<S extends ObjectStore>(store: S, pass: Pass): S {
  return {
    ...store,
    get: (key, scope) => {
      pass(`get ${file(key)}`);
      return store.get(key, scope);
    },
    put: (key, body, scope) => passing(pass, `put ${file(key)}`, () => store.put(key, body, scope)),
    delete: (key, scope) => passing(pass, "delete file", () => store.delete(key, scope)),
  };
}

/** Plugins, with a point at each call that starts, follows or ends something. */
export function passedPlugins<P extends RunPlugins>(plugins: P, pass: Pass): P {
  const isOurs = ({ name }: { readonly name: string }) => name.startsWith("example.io/");
  return {
    ...plugins,
    backupActions: async (scope) =>
      (await plugins.backupActions(scope)).map((action) =>
        isOurs(action)
          ? {
              ...action,
              execute: (body, backup, inner) =>
                passing(pass, "backup action: execute", () => action.execute(body, backup, inner)),
              progress: (id, backup, inner) =>
                passing(pass, "backup action: progress", () => action.progress(id, backup, inner)),
              cancel: (id, backup, inner) =>
                passing(pass, "backup action: cancel", () => action.cancel(id, backup, inner)),
            }
          : action,
      ),
    restoreActions: async (scope) =>
      (await plugins.restoreActions(scope)).map((action) =>
        isOurs(action)
          ? {
              ...action,
              execute: (input, inner) => passing(pass, "restore action: execute", () => action.execute(input, inner)),
              progress: (id, restore, inner) =>
                passing(pass, "restore action: progress", () => action.progress(id, restore, inner)),
              cancel: (id, restore, inner) =>
                passing(pass, "restore action: cancel", () => action.cancel(id, restore, inner)),
            }
          : action,
      ),
    snapshotter: async (provider, scope) => passedSnapshotter(await plugins.snapshotter(provider, scope), pass),
  };
}

function passedSnapshotter(snapshotter: Snapshotter, pass: Pass): Snapshotter {
  return {
    ...snapshotter,
    createSnapshot: (input, scope) =>
      passing(pass, "snapshotter: create", () => snapshotter.createSnapshot(input, scope)),
    progress: (id, scope) => passing(pass, "snapshotter: progress", () => snapshotter.progress(id, scope)),
    deleteSnapshot: (id, scope) => passing(pass, "snapshotter: delete", () => snapshotter.deleteSnapshot(id, scope)),
    createVolumeFromSnapshot: (input, scope) =>
      passing(pass, "snapshotter: restore", () => snapshotter.createVolumeFromSnapshot(input, scope)),
  };
}
