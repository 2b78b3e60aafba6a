import { AppError, cloneJson } from "@jibe/base";
import { type ApiContext, internalWrite, type Target } from "../api/context.ts";
import { createObject, type Written } from "../api/create-object.ts";
import { deleteObject } from "../api/delete-object.ts";
import type { KubeObject as StoredObject } from "../api/kube-object.ts";
import { bindPod } from "../api/pod-actions.ts";
import { liveObject, updateObject } from "../api/update-object.ts";
import { type Entry, keyOf } from "../storage/entry.ts";
import type { Change, ClusterPort, KubeObject, ObjectKey, Resource } from "./cluster-port.ts";

/** The sandbox's own API as the cluster that workloads are simulated on. */
export class ApiCluster implements ClusterPort {
  readonly #context: ApiContext;
  /** Each version of an object is parsed once; nobody changes what is handed out. */
  readonly #parsed = new WeakMap<Entry, KubeObject>();
  readonly #types = new Map<string, Target["type"]>();

  constructor(context: ApiContext) {
    this.#context = context;
  }

  get(resource: Resource, namespace: string, name: string): KubeObject | undefined {
    const entry = this.#entry(resource, { namespace, name });
    return entry && this.#objectIn(resource, entry);
  }

  list(resource: Resource, namespace = ""): readonly KubeObject[] {
    const entries = this.#context.store.list(this.#typeOf(resource).bucket, namespace);
    return entries.map((entry) => this.#objectIn(resource, entry));
  }

  create(resource: Resource, object: KubeObject): KubeObject {
    const target = this.#target(resource, { namespace: object.metadata.namespace ?? "", name: "" });
    return this.#written(resource, createObject(this.#context, target, asStored(object), internalWrite));
  }

  update(resource: Resource, object: KubeObject): KubeObject {
    const target = this.#target(resource, object.metadata);
    return this.#written(resource, updateObject(this.#context, target, asStored(object), internalWrite));
  }

  updateStatus(resource: Resource, object: KubeObject): KubeObject {
    const target = this.#target(resource, object.metadata, "status");
    return this.#written(resource, updateObject(this.#context, target, asStored(object), internalWrite));
  }

  delete(resource: Resource, key: ObjectKey, options: { readonly gracePeriodSeconds?: number } = {}): void {
    if (!this.#entry(resource, key)) return;
    const target = this.#target(resource, key);
    deleteObject(this.#context, target, { dryRun: false, propagationPolicy: "Background", ...options });
  }

  bindPod(namespace: string, name: string, node: string): void {
    const target = this.#target("pods", { namespace, name }, "binding");
    bindPod(this.#context, target, { target: { name: node } }, internalWrite);
  }

  listen(listener: (change: Change) => void): Disposable {
    return this.#context.store.listen(({ bucket, entry }) => {
      if (simulated.has(bucket)) listener({ resource: bucket, object: this.#objectIn(bucket, entry) });
    });
  }

  #typeOf(resource: string): Target["type"] {
    const type = this.#types.get(resource) ?? this.#context.registry.preferred(resource);
    if (!type) throw new AppError("NotFound", `the sandbox has no type ${resource}`);
    this.#types.set(resource, type);
    return type;
  }

  #target(resource: string, { namespace = "", name }: ObjectKey, subresource = ""): Target {
    const type = this.#typeOf(resource);
    return { type, namespace: type.namespaced ? namespace : "", name, subresource };
  }

  #entry(resource: Resource, key: ObjectKey): Entry | undefined {
    const { type, namespace, name } = this.#target(resource, key);
    return this.#context.store.get(type.bucket, keyOf(namespace, name));
  }

  #objectIn(resource: string, entry: Entry): KubeObject {
    const known = this.#parsed.get(entry);
    if (known) return known;
    const object = asPortObject(liveObject(this.#target(resource, entry), entry));
    this.#parsed.set(entry, object);
    return object;
  }

  #written(resource: Resource, result: Written): KubeObject {
    return "entry" in result ? this.#objectIn(resource, result.entry) : asPortObject(result.object);
  }
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
  "poddisruptionbudgets.policy",
  "storageclasses.storage.k8s.io",
]);

/** Stored objects always have a name. */
const asPortObject = (object: StoredObject): KubeObject =>
  ({ ...object, metadata: { ...object.metadata, name: object.metadata.name ?? "" } }) as unknown as KubeObject;

/** A copy, since the API keeps and changes what it is handed. */
const asStored = (object: KubeObject): StoredObject => cloneJson(object) as unknown as StoredObject;
