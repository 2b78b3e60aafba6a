import { type ApiContext, internalWrite } from "../api/context.ts";
import { deleteObject } from "../api/delete-object.ts";
import type { KubeObject, OwnerReference } from "../api/kube-object.ts";
import { trackFields } from "../api/track-fields.ts";
import { liveObject } from "../api/update-object.ts";
import type { ResourceType } from "../registry/resource-type.ts";
import { type Entry, keyOf, objectOf } from "../storage/entry.ts";
import type { StoreEvent } from "../storage/event-log.ts";

/** Where an object is. */
interface Place {
  readonly bucket: string;
  readonly key: string;
}

/**
 * Deletes what belongs to deleted objects. A dependent goes when none of its owners is left; an owner that waits in
 * the foreground goes when none of the dependents that block it is left; orphaned dependents lose the reference.
 */
export class GarbageCollector implements Disposable {
  readonly #context: ApiContext;
  readonly #listening: Disposable;
  /** Dependents by the uid of an owner. */
  readonly #dependents = new Map<string, Map<string, Place>>();
  readonly #pending = new Map<string, Place>();

  constructor(context: ApiContext) {
    this.#context = context;
    this.#listening = context.store.listen((event) => this.#noticed(event));
    for (const bucket of context.store.buckets()) {
      for (const entry of context.store.list(bucket)) this.#index(bucket, entry, ownersOf(entry));
    }
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
  }

  #noticed({ bucket, type, entry, previous }: StoreEvent): void {
    const owners = ownersOf(entry);
    const before = previous ? ownersOf(previous) : [];
    if (type === "DELETED") {
      this.#unindex(bucket, entry.key, before);
      const { uid = "" } = this.#dependents.size === 0 ? {} : objectOf(entry).metadata;
      for (const place of this.#dependents.get(uid)?.values() ?? []) this.#enqueue(place);
      for (const owner of before) this.#enqueueOwner(owner, entry.namespace);
      return;
    }
    if (owners.length === 0 && before.length === 0 && !entry.bytes.includes('"deletionTimestamp"')) return;
    this.#unindex(bucket, entry.key, before);
    this.#index(bucket, entry, owners);
    this.#enqueue({ bucket, key: entry.key });
    for (const owner of before) this.#enqueueOwner(owner, entry.namespace);
  }

  #index(bucket: string, { key }: Entry, owners: readonly OwnerReference[]): void {
    for (const { uid } of owners) {
      const places = this.#dependents.get(uid) ?? new Map<string, Place>();
      places.set(`${bucket} ${key}`, { bucket, key });
      this.#dependents.set(uid, places);
    }
  }

  #unindex(bucket: string, key: string, owners: readonly OwnerReference[]): void {
    for (const { uid } of owners) {
      const places = this.#dependents.get(uid);
      places?.delete(`${bucket} ${key}`);
      if (places?.size === 0) this.#dependents.delete(uid);
    }
  }

  #enqueue(place: Place): void {
    if (this.#pending.size === 0) queueMicrotask(() => this.#run());
    this.#pending.set(`${place.bucket} ${place.key}`, place);
  }

  #enqueueOwner(owner: OwnerReference, namespace: string): void {
    const type = this.#typeOf(owner);
    if (type) this.#enqueue({ bucket: type.bucket, key: keyOf(type.namespaced ? namespace : "", owner.name) });
  }

  #run(): void {
    for (const [id, place] of this.#pending) {
      this.#pending.delete(id);
      this.#reconcile(place);
    }
  }

  #reconcile({ bucket, key }: Place): void {
    const { store, registry } = this.#context;
    const entry = store.get(bucket, key);
    const type = registry.preferred(bucket);
    if (!entry || !type) return;
    const object = objectOf(entry);
    if (object.metadata.deletionTimestamp) this.#finishOwner(type, entry, object);
    else if ((object.metadata.ownerReferences ?? []).length > 0) this.#checkOwners(type, entry, object);
  }

  /** Lets go of an owner that waits for its dependents, or that wants them to be let be. */
  #finishOwner(type: ResourceType, entry: Entry, object: KubeObject): void {
    const finalizers = object.metadata.finalizers ?? [];
    const dependents = [...(this.#dependents.get(object.metadata.uid ?? "")?.values() ?? [])];
    if (finalizers.includes("orphan")) {
      for (const place of dependents) this.#dropReferences(place, (owner) => owner.uid !== object.metadata.uid);
      this.#dropFinalizer(type, entry, "orphan");
      return;
    }
    if (!finalizers.includes("foregroundDeletion")) return;
    for (const place of dependents) this.#enqueue(place);
    const blocks = ({ bucket, key }: Place) => {
      const dependent = this.#context.store.get(bucket, key);
      return (
        dependent &&
        ownersOf(dependent).some(({ uid, blockOwnerDeletion }) => uid === object.metadata.uid && blockOwnerDeletion)
      );
    };
    if (!dependents.some(blocks)) this.#dropFinalizer(type, entry, "foregroundDeletion");
  }

  #dropFinalizer(type: ResourceType, entry: Entry, finalizer: string): void {
    const { store } = this.#context;
    const object = objectOf(entry);
    const left = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    if (left.length === 0) {
      delete object.metadata.finalizers;
      store.remove(type.bucket, object);
    } else store.commit(type.bucket, { ...object, metadata: { ...object.metadata, finalizers: left } });
  }

  #checkOwners(type: ResourceType, entry: Entry, object: KubeObject): void {
    const owners = object.metadata.ownerReferences ?? [];
    const states = owners.map((owner) => this.#stateOf(owner, entry.namespace));
    if (states.includes("there")) {
      const keep = (_owner: OwnerReference, index: number) => states[index] !== "gone";
      if (states.includes("gone")) this.#dropReferences({ bucket: type.bucket, key: entry.key }, keep);
      return;
    }
    const waits = states.includes("waiting");
    const hasOwn = (this.#dependents.get(object.metadata.uid ?? "")?.size ?? 0) > 0;
    deleteObject(
      this.#context,
      { type, namespace: entry.namespace, name: entry.name, subresource: "" },
      { dryRun: false, propagationPolicy: waits && hasOwn ? "Foreground" : "Background" },
    );
  }

  /** Whether an owner is there to stay, waits for its dependents to go, or is gone. */
  #stateOf(owner: OwnerReference, namespace: string): "there" | "waiting" | "gone" {
    const type = this.#typeOf(owner);
    if (!type) return "there"; // of a type that is not served nothing can be known
    const entry = this.#context.store.get(type.bucket, keyOf(type.namespaced ? namespace : "", owner.name));
    const metadata = entry && objectOf(entry).metadata;
    if (metadata?.uid !== owner.uid) return "gone";
    return metadata.deletionTimestamp && metadata.finalizers?.includes("foregroundDeletion") ? "waiting" : "there";
  }

  #typeOf({ apiVersion, kind }: OwnerReference): ResourceType | undefined {
    return this.#context.registry.findKind(apiVersion, kind);
  }

  #dropReferences({ bucket, key }: Place, keep: (owner: OwnerReference, index: number) => boolean): void {
    const { store, registry } = this.#context;
    const entry = store.get(bucket, key);
    const type = registry.preferred(bucket);
    if (!entry || !type) return;
    const target = { type, namespace: entry.namespace, name: entry.name, subresource: "" };
    const object = liveObject(target, entry);
    const left = (object.metadata.ownerReferences ?? []).filter(keep);
    if (left.length === 0) delete object.metadata.ownerReferences;
    else object.metadata.ownerReferences = left;
    trackFields(this.#context, target, { object, old: liveObject(target, entry) }, internalWrite);
    store.commit(bucket, object);
  }
}

/** Most objects have no owner, which their bytes tell without parsing. */
function ownersOf(entry: Entry): readonly OwnerReference[] {
  if (!entry.bytes.includes('"ownerReferences"')) return [];
  return objectOf(entry).metadata.ownerReferences ?? [];
}
