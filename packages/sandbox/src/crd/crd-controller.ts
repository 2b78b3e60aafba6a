import { jsonEquals } from "@jibe/base";
import { type ApiContext, internalWrite } from "../api/context.ts";
import { deleteObject } from "../api/delete-object.ts";
import { isTree, type KubeObject, listAt, type Tree, textAt, timeText, treeAt } from "../api/kube-object.ts";
import { trackFields } from "../api/track-fields.ts";
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
  const accepted = conflict === undefined ? names : acceptedNames(context, definition);
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
  if (jsonEquals(next, status)) return undefined;
  const changed = { ...definition, metadata: { ...definition.metadata }, status: next };
  trackStatus(context, changed, definition);
  return changed;
}

/** The server itself owns what it says about a definition. */
function trackStatus(context: ApiContext, object: KubeObject, old: KubeObject): void {
  const type = context.registry.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  if (!type) return;
  const target = { type, namespace: "", name: object.metadata.name ?? "", subresource: "status" };
  trackFields(context, target, { object, old }, { ...internalWrite, fieldManager: "kube-apiserver" });
}

function setCondition(conditions: Tree[], now: string, wanted: Tree): void {
  const current = conditions.find((condition) => condition["type"] === wanted["type"]);
  if (!current) conditions.push({ ...wanted, lastTransitionTime: now });
  else if (current["status"] !== wanted["status"]) Object.assign(current, wanted, { lastTransitionTime: now });
}

/** The names that other definitions of the group have. */
function takenNames(
  { store }: ApiContext,
  definition: KubeObject,
): { readonly resources: ReadonlySet<string>; readonly kinds: ReadonlySet<string> } {
  const group = textAt(definition, "spec", "group");
  const others = store
    .list(crdBucket)
    .filter(({ name }) => name !== definition.metadata.name)
    .map(objectOf)
    .filter((other) => textAt(other, "spec", "group") === group)
    .map((other) => treeAt(other, "status", "acceptedNames") ?? {});
  const resources = others.flatMap((other) => [
    textAt(other, "plural"),
    textAt(other, "singular"),
    ...(listAt(other, "shortNames") as string[]),
  ]);
  return {
    resources: new Set(resources),
    kinds: new Set(others.flatMap((other) => [textAt(other, "kind"), textAt(other, "listKind")])),
  };
}

/** Those of a definition's names that nobody else has. */
function acceptedNames(context: ApiContext, definition: KubeObject): Tree {
  const names = treeAt(definition, "spec", "names") ?? {};
  const { resources, kinds } = takenNames(context, definition);
  const accepted: Tree = { plural: "", kind: "" };
  for (const field of ["plural", "singular"]) if (!resources.has(textAt(names, field))) accepted[field] = names[field];
  for (const field of ["kind", "listKind"]) if (!kinds.has(textAt(names, field))) accepted[field] = names[field];
  const shortNames = listAt(names, "shortNames").filter((name) => !resources.has(String(name)));
  return {
    ...accepted,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(names["categories"] ? { categories: names["categories"] } : {}),
  };
}

/** Why the names cannot be served: another definition of the group has one of them. */
function nameConflict(context: ApiContext, definition: KubeObject): Tree | undefined {
  const names = treeAt(definition, "spec", "names") ?? {};
  const { resources, kinds } = takenNames(context, definition);
  const shortNames = (listAt(names, "shortNames") as string[]).map(
    (name) => ["ShortNamesConflict", name, resources] as const,
  );
  const checks = [
    ["PluralConflict", textAt(names, "plural"), resources],
    ["SingularConflict", textAt(names, "singular"), resources],
    ...shortNames,
    ["KindConflict", textAt(names, "kind"), kinds],
    ["ListKindConflict", textAt(names, "listKind"), kinds],
  ] as const;
  const found = checks.find(([, name, taken]) => name !== "" && taken.has(name));
  if (!found) return undefined;
  const [reason, name] = found;
  return { type: "NamesAccepted", status: "False", reason, message: `${JSON.stringify(name)} is already in use` };
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
