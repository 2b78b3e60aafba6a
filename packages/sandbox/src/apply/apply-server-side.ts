import { cloneJson, jsonEquals } from "@jibe/base";
import { PatchError } from "../patch/patch-error.ts";
import { type JsonObject, ownObject, ownValue } from "../schema/json-object.ts";
import { ApplyConflict } from "./apply-conflict.ts";
import { FieldSet } from "./field-set.ts";
import { clientSideFields, refreshLastApplied } from "./last-applied.ts";
import { type Managed, type ManagedFieldsEntry, managerKey, readManaged, writeManaged } from "./managed-entries.ts";
import { mergeFields } from "./merge-fields.ts";
import { compareWithout, conflictsOf, setOwnership, withoutNeverOwned, yieldToChange } from "./ownership-changes.ts";
import { fieldElement } from "./path-element.ts";
import { pruneNoLongerApplied } from "./prune-applied.ts";
import { toFieldSet } from "./to-field-set.ts";
import { typedProblems } from "./typed-problems.ts";
import { recordChange, timeText, type WriteContext, withoutManagedFields } from "./update-managed-fields.ts";

export interface ApplyContext extends WriteContext {
  readonly kind: string;
  /** The stored object, or for a create the empty object of its kind. */
  readonly live: JsonObject;
  readonly applied: JsonObject;
  readonly force: boolean;
}

export interface Applied {
  /** The merged object, without managedFields, yet to be decoded, defaulted and validated. */
  readonly object: JsonObject;
  readonly managedFields: ManagedFieldsEntry[] | undefined;
}

/**
 * Merges an applied configuration into the live object. Fields that the manager applied before and no longer does are
 * removed unless others own them. Throws `ApplyConflict` when others own what would change, unless forced, and
 * `PatchError` when the configuration does not fit the type.
 */
export function applyServerSide(context: ApplyContext): Applied {
  checkApplied(context);
  const live = withoutManagedFields(context.live);
  const managed = readManaged(ownValue(ownObject(context.live, "metadata") ?? {}, "managedFields"));
  if (!managed) throw new PatchError("Internal", "failed to decode managed fields");
  if (managed.size === 0 && uidOf(live) !== "") recordFieldsFromBefore(managed, { ...context, live });
  return mergeApplied({ ...context, live }, managed);
}

const uidOf = (object: JsonObject) => ownValue(ownObject(object, "metadata") ?? {}, "uid") ?? "";

function checkApplied({ applied, apiVersion, kind, schema }: ApplyContext): void {
  if (applied["apiVersion"] !== apiVersion || applied["kind"] !== kind) {
    throw new PatchError("BadRequest", `invalid object type: ${kindText(applied["apiVersion"], applied["kind"])}`);
  }
  const metadata = ownObject(applied, "metadata") ?? {};
  const sent = ownValue(metadata, "managedFields");
  if (sent !== undefined && sent !== null) throw new PatchError("BadRequest", "metadata.managedFields must be nil");
  const [problem] = typedProblems(schema, applied, { allowDuplicates: false });
  if (problem === undefined) return;
  const [namespace, name] = [ownValue(metadata, "namespace") ?? "", ownValue(metadata, "name") ?? ""];
  const what = `${namespace}/${name}; ${kindText(apiVersion, kind)}`;
  throw new PatchError("Internal", `failed to create typed patch object (${what}): ${problem}`);
}

function kindText(apiVersion: unknown, kind: unknown): string {
  const version = typeof apiVersion === "string" ? apiVersion : "";
  return `${version.includes("/") ? version : `/${version}`}, Kind=${typeof kind === "string" ? kind : ""}`;
}

/** What stood in an object before anyone was tracked belongs to a manager of that name. */
function recordFieldsFromBefore(managed: Managed, context: ApplyContext): void {
  const { apiVersion, kind, live } = context;
  recordChange(managed, {
    ...context,
    manager: "before-first-apply",
    ignored: [],
    live: { apiVersion, kind },
    object: live,
  });
}

function mergeApplied(context: ApplyContext, managed: Managed): Applied {
  const { schema, live, applied, manager, apiVersion, subresource } = context;
  const owner = { manager: manager || "unknown", operation: "Apply" as const, apiVersion, subresource };
  const key = managerKey(owner);
  const previous = managed.get(key);
  const ignored = FieldSet.of(...(context.ignored ?? []).map((path) => path.map(fieldElement)));
  const fields = toFieldSet(schema, applied).withoutSubtrees(ignored);
  const merged = mergeFields(schema, live, applied);
  managed.set(key, { ...owner, fields, time: previous?.time });
  const object = pruneNoLongerApplied({ schema, merged, managed, last: previous?.fields }) as JsonObject;

  const comparison = compareWithout(schema, { before: live, after: object }, ignored);
  const conflicts = conflictsOf(managed, key, comparison);
  const contested = withoutAllowed(conflicts, context);
  if (!context.force && contested.size > 0) throw new ApplyConflict(contested, managed);
  yieldToChange(managed, key, comparison);

  const own = managed.get(key);
  const isChanged = !jsonEquals(live, object);
  const time = isChanged ? timeText(context.now) : previous?.time;
  if (own) setOwnership(managed, key, { ...own, time, fields: withoutNeverOwned(fields) });
  const result = isChanged ? object : cloneJson(live);
  if (manager === "kubectl") refreshLastApplied(result, applied);
  return { object: result, managedFields: managed.size === 0 ? undefined : writeManaged(managed) };
}

/** kubectl may take over what it set itself by client-side apply. */
function withoutAllowed(conflicts: ReadonlyMap<string, FieldSet>, context: ApplyContext): Map<string, FieldSet> {
  if (context.manager !== "kubectl" || conflicts.size === 0) return new Map(conflicts);
  const allowed = clientSideFields(context.schema, context.live);
  const left = [...conflicts].map(([key, fields]) => [key, fields.difference(allowed)] as const);
  return new Map(left.filter(([, fields]) => !fields.isEmpty));
}
