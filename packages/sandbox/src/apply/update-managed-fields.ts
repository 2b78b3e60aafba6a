import { isJsonObject, type JsonObject, ownObject, ownValue } from "../schema/json-object.ts";
import { FieldSet } from "./field-set.ts";
import { type Managed, type ManagedFieldsEntry, managerKey, readManaged, writeManaged } from "./managed-entries.ts";
import { compareWithout, withoutNeverOwned, yieldToChange } from "./ownership-changes.ts";
import { fieldElement } from "./path-element.ts";
import type { TypedSchema } from "./typed-schema.ts";

/** Who writes, where and when. */
export interface WriteContext {
  readonly schema: TypedSchema;
  /** The field manager: the request's `fieldManager`, or its user agent up to the first slash. */
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
  /** Paths that this endpoint does not write, as `["status"]` or `["metadata", "labels"]`. */
  readonly ignored?: readonly (readonly string[])[] | undefined;
  readonly now: Date;
}

export interface UpdateContext extends WriteContext {
  /** The stored object, or for a create the empty object of its kind. */
  readonly live: JsonObject;
  /** The object as it is to be stored, decoded and defaulted but before anything is allocated or derived. */
  readonly object: JsonObject;
}

const maxUpdateManagers = 10;

/**
 * The `metadata.managedFields` after a create, update or patch: what changed now belongs to the manager, and what is
 * gone to nobody. Undefined when nobody owns anything.
 */
export function updateManagedFields(context: UpdateContext): ManagedFieldsEntry[] | undefined {
  const managed = startingPoint(context);
  const isUntracked = managed.size === 0 && uidOf(context.live) !== "";
  if (!isUntracked) {
    recordChange(managed, context);
    capUpdaters(managed);
  }
  return managed.size === 0 ? undefined : writeManaged(managed);
}

const uidOf = (object: JsonObject) => {
  const uid = ownValue(ownObject(object, "metadata") ?? {}, "uid");
  return typeof uid === "string" ? uid : "";
};

const entriesOf = (object: JsonObject) => ownValue(ownObject(object, "metadata") ?? {}, "managedFields");

/** A client may edit or reset the list itself; one that leaves it out or breaks it does not lose it. */
function startingPoint({ live, object, subresource }: UpdateContext): Managed {
  const stored = readManaged(entriesOf(live)) ?? new Map();
  if (subresource) return stored;
  const sent = entriesOf(object);
  if (isReset(sent)) return new Map();
  const managed = readManaged(sent);
  return managed === undefined || managed.size === 0 ? stored : managed;
}

function isReset(entries: unknown): boolean {
  if (!Array.isArray(entries)) return false;
  const [first] = entries;
  return entries.length === 0 || (entries.length === 1 && isJsonObject(first) && Object.keys(first).length === 0);
}

/** Makes the manager the owner of all that differs between the live object and the new one. */
export function recordChange(managed: Managed, context: UpdateContext): void {
  const { schema, live, object, manager, apiVersion, subresource } = context;
  const ignored = FieldSet.of(...(context.ignored ?? []).map((path) => path.map(fieldElement)));
  const states = { before: withoutManagedFields(live), after: withoutManagedFields(object) };
  const comparison = compareWithout(schema, states, ignored);
  yieldToChange(managed, "", comparison);
  const changed = withoutNeverOwned(comparison.modified.union(comparison.added));
  if (changed.isEmpty) return;
  const owner = { manager: manager || "unknown", operation: "Update" as const, apiVersion, subresource };
  const key = managerKey(owner);
  const fields = changed.union(managed.get(key)?.fields ?? new FieldSet());
  managed.set(key, { ...owner, fields, time: timeText(context.now) });
}

export function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = ownObject(object, "metadata");
  if (!metadata || !Object.hasOwn(metadata, "managedFields")) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

/** Times in managedFields have whole seconds. */
export const timeText = (time: Date) => time.toISOString().replace(/\.\d+Z$/, "Z");

/** Merges the oldest updaters of a version into one when there are too many. */
function capUpdaters(managed: Managed): void {
  const updaters = [...managed].filter(([, { operation }]) => operation === "Update");
  let excess = updaters.length - maxUpdateManagers;
  if (excess <= 0) return;
  updaters.sort(([a, { time: left = "" }], [b, { time: right = "" }]) =>
    left === right ? (a < b ? -1 : 1) : left < right ? -1 : 1,
  );
  const firstOfVersion = new Map<string, string>();
  for (const [key, ownership] of updaters) {
    if (excess <= 0) break;
    const bucket = { manager: "ancient-changes", operation: "Update" as const, apiVersion: ownership.apiVersion };
    const bucketKey = managerKey(bucket);
    const first = firstOfVersion.get(ownership.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(ownership.apiVersion, key);
      continue;
    }
    const gathered = managed.get(bucketKey) ?? managed.get(first);
    managed.delete(first);
    managed.delete(key);
    managed.set(bucketKey, {
      ...bucket,
      time: ownership.time,
      fields: ownership.fields.union(gathered?.fields ?? new FieldSet()),
    });
    excess--;
  }
}
