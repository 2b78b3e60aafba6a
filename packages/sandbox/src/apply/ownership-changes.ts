import { type Comparison, compareFields } from "./compare-fields.ts";
import { FieldSet } from "./field-set.ts";
import type { Managed, Ownership } from "./managed-entries.ts";
import { fieldElement } from "./path-element.ts";
import type { TypedSchema } from "./typed-schema.ts";

const path = (...names: string[]) => names.map(fieldElement);

/** Identity and bookkeeping, which nobody owns. */
const neverOwned = FieldSet.of(
  path("apiVersion"),
  path("kind"),
  path("metadata"),
  ...["name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation"].map((name) =>
    path("metadata", name),
  ),
  path("metadata", "managedFields"),
  path("metadata", "resourceVersion"),
);

export const withoutNeverOwned = (fields: FieldSet) => fields.difference(neverOwned);

/** What a request may change, given the fields that its endpoint ignores (`status`, or for its subresource the rest). */
export function compareWithout(
  schema: TypedSchema,
  { before, after }: { readonly before: unknown; readonly after: unknown },
  ignored: FieldSet,
): Comparison {
  const { added, modified, removed } = compareFields(schema, before, after);
  return {
    added: added.withoutSubtrees(ignored),
    modified: modified.withoutSubtrees(ignored),
    removed: removed.withoutSubtrees(ignored),
  };
}

/** Which fields of the other owners a change touches, by owner. */
export function conflictsOf(managed: Managed, actor: string, { modified, added }: Comparison): Map<string, FieldSet> {
  const changed = modified.union(added);
  const conflicts = new Map<string, FieldSet>();
  for (const [key, { fields }] of managed) {
    const contested = key === actor ? new FieldSet() : fields.intersection(changed);
    if (!contested.isEmpty) conflicts.set(key, contested);
  }
  return conflicts;
}

/** Takes from all others what a change took over or removed; owners that are left with nothing go. */
export function yieldToChange(managed: Managed, actor: string, comparison: Comparison): void {
  const lost = comparison.modified.union(comparison.added).union(comparison.removed);
  for (const [key, ownership] of [...managed]) {
    if (key !== actor) setOwnership(managed, key, { ...ownership, fields: ownership.fields.difference(lost) });
  }
}

/** Notes what someone owns; who owns nothing is no owner. */
export function setOwnership(managed: Managed, key: string, ownership: Ownership): void {
  if (ownership.fields.isEmpty) managed.delete(key);
  else managed.set(key, ownership);
}
