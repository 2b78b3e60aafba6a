import { isJsonObject } from "../schema/json-object.ts";
import { type FieldPath, FieldSet } from "./field-set.ts";
import { indexList } from "./list-elements.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import { type ListSchema, memberSchema, resolve, type TypedSchema } from "./typed-schema.ts";

/** The paths that a value sets: its leaves, the elements of its lists, and map members that are not declared fields. */
export function toFieldSet(schema: TypedSchema, value: unknown): FieldSet {
  const set = new FieldSet();
  collect(schema, { value, path: [] }, set);
  return set;
}

interface Place<T = unknown> {
  readonly value: T;
  readonly path: FieldPath;
}

function collect(schema: TypedSchema, { value, path }: Place, set: FieldSet): void {
  const resolved = resolve(schema, value);
  if (resolved.kind === "scalar" || resolved.relationship === "atomic") {
    set.insert(path);
  } else if (resolved.kind === "list") {
    if (Array.isArray(value)) collectList(resolved, { value, path }, set);
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      const at = [...path, fieldElement(key)];
      collect(memberSchema(resolved, key), { value: member, path: at }, set);
      const isEmptyMap = isJsonObject(member) && Object.keys(member).length === 0;
      if (member === null || isEmptyMap || resolved.field(key) === undefined) set.insert(at);
    }
  }
}

function collectList(schema: ListSchema, { value, path }: Place<readonly unknown[]>, set: FieldSet): void {
  const elements = indexList(schema, value);
  const counts = new Map<PathElement, number>();
  for (const [element] of elements) counts.set(element, (counts.get(element) ?? 0) + 1);
  for (const [element, item] of elements) {
    const at = [...path, element];
    if (counts.get(element) === 1) collect(schema.item(), { value: item, path: at }, set);
    set.insert(at);
  }
}
