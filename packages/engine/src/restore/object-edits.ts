import type { KubernetesObject, ObjectMeta } from "@jibe/plugin-sdk/contracts";

/** Objects are never changed in place: an edit copies what lies on its path and shares the rest. */
type Fields = Readonly<Record<string, unknown>>;

/** What lies at a path of field names; `undefined` when there is nothing. */
export function valueAt(object: unknown, ...path: readonly string[]): unknown {
  let current = object;
  for (const key of path) {
    if (!isFields(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}

export function textAt(object: unknown, ...path: readonly string[]): string {
  const value = valueAt(object, ...path);
  return typeof value === "string" ? value : "";
}

/** A copy with the value at the path; objects on the way are made where they lack. */
export function withValue<T extends object>(object: T, path: readonly string[], value: unknown): T {
  const [key, ...rest] = path;
  if (key === undefined) return value as T;
  const below = (object as Fields)[key];
  return { ...object, [key]: rest.length === 0 ? value : withValue(isFields(below) ? below : {}, rest, value) };
}

/** A copy without what lies at the path; the object itself when nothing does. */
export function withoutValue<T extends object>(object: T, path: readonly string[]): T {
  const [key, ...rest] = path;
  if (key === undefined || !Object.hasOwn(object, key)) return object;
  const { [key]: below, ...others } = object as Fields;
  if (rest.length === 0) return others as T;
  if (!isFields(below)) return object;
  return { ...object, [key]: withoutValue(below, rest) };
}

const serverMadeMetadata: ReadonlySet<string> = new Set([
  "generateName",
  "selfLink",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "ownerReferences",
]);

/** The object without status and without the metadata that an API server makes. */
export function withoutServerFields(object: KubernetesObject): KubernetesObject {
  const { status: _, ...rest } = object;
  // A loop, as this is done for every item; without a prototype, as a key may be called __proto__.
  const metadata: Record<string, unknown> = Object.create(null);
  for (const key in object.metadata) {
    if (!serverMadeMetadata.has(key)) metadata[key] = object.metadata[key as keyof ObjectMeta];
  }
  return { ...rest, metadata: metadata as ObjectMeta } as KubernetesObject;
}

export function withoutManagedFields(object: KubernetesObject): KubernetesObject {
  return withoutValue(object, ["metadata", "managedFields"]);
}

export function withLabels(object: KubernetesObject, labels: Readonly<Record<string, string>>): KubernetesObject {
  return { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...labels } } };
}

/** A copy without the annotations. */
export function withoutAnnotations(object: KubernetesObject, ...keys: readonly string[]): KubernetesObject {
  const { annotations } = object.metadata;
  if (!annotations || !keys.some((key) => Object.hasOwn(annotations, key))) return object;
  const kept = Object.fromEntries(Object.entries(annotations).filter(([key]) => !keys.includes(key)));
  return { ...object, metadata: { ...object.metadata, annotations: kept } };
}

/** `pods/shop/web`, `persistentvolumes/pv-1`: how messages name an item. */
export function resourceIdOf(groupResource: string, namespace: string, name: string): string {
  return namespace === "" ? `${groupResource}/${name}` : `${groupResource}/${namespace}/${name}`;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
