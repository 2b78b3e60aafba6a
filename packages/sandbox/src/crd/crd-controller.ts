import { jsonEquals } from "@jibe/base";
import type { ApiContext } from "../api/context.ts";
import { deleteObject } from "../api/delete-object.ts";
import { isTree, type KubeObject, listAt, type Tree, textAt, timeText, treeAt } from "../api/kube-object.ts";
import { bucketOf, type ResourceType } from "../registry/resource-type.ts";
import { objectOf } from "../storage/entry.ts";
import { customTypes } from "./custom-types.ts";

export const crdBucket = "customresourcedefinitions.apiextensions.k8s.io";
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/**
 * Serves what custom resource definitions define. A definition is accepted and established in the same turn in which
 * it is written, so its types are there when the writer hears of it. A deleted one goes after its objects.
 */
export function startCrdController(context: ApiContext): Disposable {
  const { store, registry } = context;
  const pending = new Set<string>();
  const reconcile = (name: string) => {
    const entry = store.get(crdBucket, name);
    if (!entry) return registry.setCustom(name, []);
    const definition = objectOf(entry);
    if (definition.metadata.deletionTimestamp) return removeObjects(context, definition);
    const changed = withStatus(context, definition);
    if (changed) store.commit(crdBucket, changed);
    registry.setCustom(name, isEstablished(changed ?? definition) ? customTypes(changed ?? definition) : []);
  };
  const run = () => {
    for (const name of pending) {
      pending.delete(name);
      reconcile(name);
    }
  };
  const listening = store.listen(({ bucket, entry }) => {
    if (bucket === crdBucket) {
      if (pending.size === 0) queueMicrotask(run);
      pending.add(entry.name);
    } else if (bucket.includes(".")) {
      const definition = store.get(crdBucket, bucket);
      if (!definition?.bytes.includes('"deletionTimestamp"')) return;
      if (pending.size === 0) queueMicrotask(run);
      pending.add(bucket);
    }
  });
  for (const { name } of store.list(crdBucket)) reconcile(name);
  return listening;
}

const isEstablished = (definition: KubeObject) => conditionOf(definition, "Established")?.["status"] === "True";

function conditionOf(definition: KubeObject, type: string): Tree | undefined {
  return listAt(definition, "status", "conditions")
    .filter(isTree)
    .find((condition) => condition["type"] === type);
}

/** The definition with the status that its names deserve; undefined when it has that already. */
function withStatus(context: ApiContext, definition: KubeObject): KubeObject | undefined {
  const names = treeAt(definition, "spec", "names") ?? {};
  const conflict = nameConflict(context, definition);
  const status = treeAt(definition, "status") ?? {};
  const accepted = conflict === undefined ? names : (treeAt(status, "acceptedNames") ?? {});
  const conditions = listAt(status, "conditions")
    .filter(isTree)
    .map((condition) => ({ ...condition }));
  const now = timeText(context.clock.now());
  setCondition(
    conditions,
    now,
    conflict ?? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" },
  );
  const wasEstablished = isEstablished(definition);
  if (conflict === undefined || !wasEstablished) {
    setCondition(conditions, now, {
      type: "Established",
      status: conflict === undefined ? "True" : "False",
      reason: conflict === undefined ? "InitialNamesAccepted" : "NotAccepted",
      message: conflict === undefined ? "the initial names have been accepted" : "not all names are accepted",
    });
  }
  const next = { ...status, conditions, acceptedNames: accepted };
  return jsonEquals(next, status) ? undefined : { ...definition, status: next };
}

function setCondition(conditions: Tree[], now: string, wanted: Tree): void {
  const current = conditions.find((condition) => condition["type"] === wanted["type"]);
  if (!current) conditions.push({ ...wanted, lastTransitionTime: now });
  else if (current["status"] !== wanted["status"]) Object.assign(current, wanted, { lastTransitionTime: now });
}

/** Why the names cannot be served: another definition of the group has one of them. */
function nameConflict({ store }: ApiContext, definition: KubeObject): Tree | undefined {
  const group = textAt(definition, "spec", "group");
  const others = store
    .list(crdBucket)
    .filter(({ name }) => name !== definition.metadata.name)
    .map(objectOf)
    .filter((other) => textAt(other, "spec", "group") === group)
    .map((other) => treeAt(other, "status", "acceptedNames") ?? {});
  const names = treeAt(definition, "spec", "names") ?? {};
  const taken = new Set(
    others.flatMap((other) => [
      textAt(other, "plural"),
      textAt(other, "singular"),
      ...(listAt(other, "shortNames") as string[]),
    ]),
  );
  const kinds = new Set(others.flatMap((other) => [textAt(other, "kind"), textAt(other, "listKind")]));
  const conflicting = (reason: string, name: string) => ({
    type: "NamesAccepted",
    status: "False",
    reason,
    message: `${JSON.stringify(name)} is already in use`,
  });
  for (const [reason, name] of [
    ["PluralConflict", textAt(names, "plural")],
    ["SingularConflict", textAt(names, "singular")],
  ] as const) {
    if (name !== "" && taken.has(name)) return conflicting(reason, name);
  }
  for (const name of listAt(names, "shortNames") as string[])
    if (taken.has(name)) return conflicting("ShortNamesConflict", name);
  if (kinds.has(textAt(names, "kind"))) return conflicting("KindConflict", textAt(names, "kind"));
  if (kinds.has(textAt(names, "listKind"))) return conflicting("ListKindConflict", textAt(names, "listKind"));
  return undefined;
}

function removeObjects(context: ApiContext, definition: KubeObject): void {
  const { store, registry } = context;
  const group = textAt(definition, "spec", "group");
  const plural = textAt(definition, "spec", "names", "plural");
  const bucket = bucketOf(group, plural);
  const type = registry.preferred(bucket) ?? customTypes(definition)[0];
  for (const { namespace, name } of type ? store.list(bucket) : []) {
    const entry = store.get(bucket, namespace === "" ? name : `${namespace}/${name}`);
    if (!entry || entry.bytes.includes('"deletionTimestamp"')) continue;
    deleteObject(context, { type: type as ResourceType, namespace, name, subresource: "" }, { dryRun: false });
  }
  if (store.list(bucket).length > 0) return;
  const finalizers = (definition.metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer);
  if (finalizers.length > 0) {
    if (finalizers.length !== definition.metadata.finalizers?.length) {
      store.commit(crdBucket, { ...definition, metadata: { ...definition.metadata, finalizers } });
    }
    return;
  }
  delete definition.metadata.finalizers;
  store.remove(crdBucket, definition);
}
