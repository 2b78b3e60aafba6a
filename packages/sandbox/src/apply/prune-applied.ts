import { FieldSet } from "./field-set.ts";
import type { Managed } from "./managed-entries.ts";
import { removeFields, withNamedFields } from "./remove-fields.ts";
import { toFieldSet } from "./to-field-set.ts";
import type { TypedSchema } from "./typed-schema.ts";

interface Pruning {
  readonly schema: TypedSchema;
  readonly merged: unknown;
  /** All owners, with what the manager applies now. */
  readonly managed: Managed;
  /** What the manager applied before. */
  readonly last: FieldSet | undefined;
}

/** Removes from the merged object what the manager applied before, does not apply now, and nobody else owns. */
export function pruneNoLongerApplied({ schema, merged, managed, last }: Pruning): unknown {
  if (!last || last.isEmpty) return merged;
  const named = (set: FieldSet) => withNamedFields(schema, set);
  const owned = [...managed.values()].reduce((all, { fields }) => all.union(fields), new FieldSet());
  const before = named(toFieldSet(schema, merged));
  const bare = named(toFieldSet(schema, removeFields(schema, merged, named(last))));

  // Owned items come back, and so does what the manager never owned although it lay below something it did.
  const withOwned = removeFields(schema, merged, before.difference(bare.union(named(owned))));
  const kept = named(toFieldSet(schema, withOwned));
  return removeFields(schema, merged, before.difference(kept).intersection(named(last)));
}
