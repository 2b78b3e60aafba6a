import { setOwn } from "@jibe/base";
import { isJsonObject, type JsonObject } from "../schema/json-object.ts";
import { FieldSet } from "./field-set.ts";
import { listElementIfAny } from "./list-elements.ts";
import { fieldElement, fieldNameOf } from "./path-element.ts";
import { memberSchema, resolve, type TypedSchema } from "./typed-schema.ts";

/** A copy without the members and elements that the set names. A container that loses all of them becomes null. */
export function removeFields(schema: TypedSchema, value: unknown, set: FieldSet): unknown {
  const resolved = resolve(schema, value);
  if (resolved.kind === "scalar") return value;
  if (resolved.relationship === "atomic") return null;
  if (resolved.kind === "list") {
    if (!Array.isArray(value)) return null;
    const kept = value.flatMap((item) => {
      const element = listElementIfAny(resolved, item);
      if (element === undefined) return [item];
      if (set.has(element)) return [];
      const below = set.under(element);
      return [below.isEmpty ? item : removeFields(resolved.item(), item, below)];
    });
    return kept.length > 0 ? kept : null;
  }
  if (!isJsonObject(value)) return null;
  const kept: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const element = fieldElement(key);
    if (set.has(element)) continue;
    const below = set.under(element);
    setOwn(kept, key, below.isEmpty ? member : removeFields(memberSchema(resolved, key), member, below));
  }
  return Object.keys(kept).length > 0 ? kept : null;
}

/** The set with each declared field that has paths below it as a member too. */
export function withNamedFields(schema: TypedSchema, set: FieldSet): FieldSet {
  const members = new Set(set.members);
  const children: [string, FieldSet][] = [];
  for (const [element, child] of set.children) {
    const name = fieldNameOf(element);
    if (name !== undefined && schema.kind === "map" && schema.field(name)) members.add(element);
    children.push([element, withNamedFields(schemaBelow(schema, name), child)]);
  }
  return new FieldSet(members, children);
}

function schemaBelow(schema: TypedSchema, name: string | undefined): TypedSchema {
  if (name !== undefined && schema.kind === "map") return memberSchema(schema, name);
  return name === undefined && schema.kind === "list" ? schema.item() : { kind: "deduced" };
}
