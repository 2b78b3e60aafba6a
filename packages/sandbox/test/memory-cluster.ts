import { cloneJson, jsonEquals } from "@jibe/base";
import { objectAt } from "../src/printing/read.ts";
import type { Change, ClusterPort, KubeObject, ObjectKey, Resource } from "../src/workloads/cluster-port.ts";

/** The smallest cluster that keeps the port's promises, for tests of what runs on it. */
export class MemoryCluster implements ClusterPort {
  readonly #objects = new Map<string, KubeObject>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #now: () => Date;
  #count = 0;

  constructor(now: () => Date) {
    this.#now = now;
  }

  #key(resource: string, namespace: string, name: string): string {
    return `${resource} ${namespace} ${name}`;
  }

  get(resource: Resource, namespace: string, name: string): KubeObject | undefined {
    return this.#objects.get(this.#key(resource, namespace, name));
  }

  list(resource: Resource, namespace = ""): readonly KubeObject[] {
    const prefix = namespace === "" ? `${resource} ` : `${resource} ${namespace} `;
    return [...this.#objects].filter(([key]) => key.startsWith(prefix)).map(([, object]) => object);
  }

  create(resource: Resource, object: KubeObject): KubeObject {
    const id = ++this.#count;
    const { name: given, generateName = "", namespace = "" } = object.metadata;
    const name = given === "" ? `${generateName}${String(id).padStart(5, "0")}` : given;
    if (this.get(resource, namespace, name)) throw new Error(`${resource} "${name}" already exists`);
    const metadata = {
      ...object.metadata,
      name,
      uid: `uid-${id}`,
      generation: 1,
      creationTimestamp: this.#now()
        .toISOString()
        .replace(/\.\d+Z$/, "Z"),
    };
    const phase = ["pods", "persistentvolumes", "persistentvolumeclaims"].includes(resource);
    const fresh = { ...cloneJson(object), metadata, ...(phase ? { status: { phase: "Pending" } } : {}) };
    return this.#store(resource, fresh);
  }

  update(resource: Resource, object: KubeObject): KubeObject {
    const current = this.#existing(resource, object);
    const isSame = jsonEquals(objectAt(object, "spec"), objectAt(current, "spec"));
    const generation = (current.metadata.generation ?? 1) + (isSame ? 0 : 1);
    const status = current["status"] === undefined ? {} : { status: current["status"] };
    const next = { ...cloneJson(object), metadata: { ...object.metadata, generation }, ...status };
    if (next.metadata.deletionTimestamp && (next.metadata.finalizers ?? []).length === 0) {
      return this.#remove(resource, next);
    }
    return jsonEquals(next, current) ? current : this.#store(resource, next);
  }

  updateStatus(resource: Resource, object: KubeObject): KubeObject {
    const current = this.#existing(resource, object);
    const next = { ...current, status: cloneJson(object["status"]) };
    return jsonEquals(next, current) ? current : this.#store(resource, next);
  }

  delete(resource: Resource, { namespace = "", name }: ObjectKey, options: { gracePeriodSeconds?: number } = {}): void {
    const object = this.get(resource, namespace, name);
    if (!object) return;
    const isHeld = (object.metadata.finalizers ?? []).length > 0;
    const hasGrace =
      resource === "pods" && options.gracePeriodSeconds !== 0 && objectAt(object, "spec")["nodeName"] !== undefined;
    if (!isHeld && !hasGrace) this.#remove(resource, object);
    else if (!object.metadata.deletionTimestamp) {
      this.#store(resource, {
        ...object,
        metadata: { ...object.metadata, deletionTimestamp: this.#now().toISOString() },
      });
    }
  }

  bindPod(namespace: string, name: string, node: string): void {
    const pod = this.get("pods", namespace, name);
    if (pod) this.#store("pods", { ...pod, spec: { ...objectAt(pod, "spec"), nodeName: node } });
  }

  listen(listener: (change: Change) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #existing(resource: Resource, { metadata }: KubeObject): KubeObject {
    const current = this.get(resource, metadata.namespace ?? "", metadata.name);
    if (!current) throw new Error(`${resource} "${metadata.name}" not found`);
    return current;
  }

  #store(resource: Resource, object: KubeObject): KubeObject {
    this.#objects.set(this.#key(resource, object.metadata.namespace ?? "", object.metadata.name), object);
    for (const listener of this.#listeners) listener({ resource, object });
    return object;
  }

  #remove(resource: Resource, object: KubeObject): KubeObject {
    this.#objects.delete(this.#key(resource, object.metadata.namespace ?? "", object.metadata.name));
    for (const listener of this.#listeners) listener({ resource, object });
    for (const [key, dependent] of [...this.#objects]) {
      if (!dependent.metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid)) continue;
      const [kind] = key.split(" ");
      this.delete(kind as Resource, dependent.metadata);
    }
    return object;
  }
}
