import { AppError, cloneJson } from "@jibe/base";
import { type ApiContext, internalWrite, type Target } from "../api/context.ts";
import { createObject, type Written } from "../api/create-object.ts";
import { deleteObject } from "../api/delete-object.ts";
import type { KubeObject as StoredObject } from "../api/kube-object.ts";
import { bindPod } from "../api/pod-actions.ts";
import { liveObject, updateObject } from "../api/update-object.ts";
import { type Entry, keyOf } from "../storage/entry.ts";
import type { ClusterPort, KubeObject, Resource } from "./cluster-port.ts";

/** The sandbox's own API as the cluster that workloads are simulated on. */
export function apiCluster(context: ApiContext): ClusterPort {
  const { store, registry } = context;
  const parsed = new WeakMap<Entry, KubeObject>();
  const known = new Map<string, Target["type"]>();

  const typeOf = (resource: string): Target["type"] => {
    const type = known.get(resource) ?? registry.preferred(resource);
    if (!type) throw new AppError("NotFound", `the sandbox has no type ${resource}`);
    known.set(resource, type);
    return type;
  };
  const targetOf = (resource: string, namespace = "", name = "", subresource = ""): Target => {
    const type = typeOf(resource);
    return { type, namespace: type.namespaced ? namespace : "", name, subresource };
  };
  /** Each version of an object is parsed once; nobody changes what is handed out. */
  const objectIn = (resource: string, entry: Entry): KubeObject => {
    let object = parsed.get(entry);
    if (!object) {
      object = asPortObject(liveObject(targetOf(resource), entry));
      parsed.set(entry, object);
    }
    return object;
  };
  const written = (resource: string, result: Written): KubeObject =>
    "entry" in result ? objectIn(resource, result.entry) : asPortObject(result.object);

  const entryOf = (resource: Resource, namespace: string, name: string) => {
    const target = targetOf(resource, namespace);
    return store.get(target.type.bucket, keyOf(target.namespace, name));
  };
  const write = (resource: Resource, object: KubeObject, subresource: string) => {
    const target = targetOf(resource, object.metadata.namespace, object.metadata.name, subresource);
    return written(resource, updateObject(context, target, structuredObject(object), internalWrite));
  };

  return {
    get: (resource, namespace, name) => {
      const entry = entryOf(resource, namespace, name);
      return entry && objectIn(resource, entry);
    },
    list: (resource, namespace = "") =>
      store.list(typeOf(resource).bucket, namespace).map((entry) => objectIn(resource, entry)),
    create: (resource, object) => {
      const target = targetOf(resource, object.metadata.namespace);
      return written(resource, createObject(context, target, structuredObject(object), internalWrite));
    },
    update: (resource, object) => write(resource, object, ""),
    updateStatus: (resource, object) => write(resource, object, "status"),
    delete: (resource, namespace, name, { gracePeriodSeconds } = {}) => {
      if (!entryOf(resource, namespace, name)) return;
      const options = { dryRun: false, propagationPolicy: "Background", gracePeriodSeconds } as const;
      deleteObject(context, targetOf(resource, namespace, name), options);
    },
    bindPod: (namespace, name, node) => {
      bindPod(context, targetOf("pods", namespace, name, "binding"), { target: { name: node } }, internalWrite);
    },
    listen: (listener) =>
      store.listen(({ bucket, entry }) => {
        if (simulated.has(bucket)) listener({ resource: bucket, object: objectIn(bucket, entry) });
      }),
  };
}

const simulated: ReadonlySet<string> = new Set<Resource>([
  "pods",
  "services",
  "persistentvolumes",
  "persistentvolumeclaims",
  "deployments.apps",
  "replicasets.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "jobs.batch",
  "storageclasses.storage.k8s.io",
]);

/** Stored objects always have a name. */
const asPortObject = (object: StoredObject): KubeObject =>
  ({ ...object, metadata: { ...object.metadata, name: object.metadata.name ?? "" } }) as unknown as KubeObject;

const structuredObject = (object: KubeObject): StoredObject => cloneJson(object) as unknown as StoredObject;
