import { jsonEquals } from "@jibe/base";
import { isJsonObject, type JsonObject } from "../schema/json-object.ts";
import { type FieldPath, FieldSet } from "./field-set.ts";
import { indexList } from "./list-elements.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import {
  isEmptyContainer,
  type ListSchema,
  type MapSchema,
  memberSchema,
  type ResolvedSchema,
  resolve,
  type TypedSchema,
} from "./typed-schema.ts";

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** What differs between two values of a type; `undefined` stands for a value that is not there. */
export function compareFields(schema: TypedSchema, before: unknown, after: unknown): Comparison {
  const comparison = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
  compareAt({ schema, before, after, path: [], to: comparison });
  return comparison;
}

interface Pair {
  readonly schema: TypedSchema;
  readonly before: unknown;
  readonly after: unknown;
  readonly path: FieldPath;
  readonly to: Comparison;
}

function compareAt(pair: Pair): void {
  const { schema, before, after } = pair;
  const [left, right] = [resolve(schema, before), resolve(schema, after)];
  if (after === undefined) finish(pair, compareBy(left, pair));
  else if (before === undefined || left.kind === right.kind) finish(pair, compareBy(right, pair));
  else {
    compareBy(left, pair);
    finish(pair, compareBy(right, pair));
  }
}

function finish({ before, after, path, to }: Pair, wasLeaf: boolean): void {
  if (wasLeaf) return;
  if (before === undefined) to.added.insert(path);
  else if (after === undefined) to.removed.insert(path);
}

/** Returns whether the value was compared as one leaf. */
function compareBy(schema: ResolvedSchema, pair: Pair): boolean {
  const { before, after } = pair;
  const isLeaf =
    schema.kind === "scalar" ||
    schema.relationship === "atomic" ||
    (isEmptyContainer(before) && isEmptyContainer(after));
  if (isLeaf) compareLeaf(pair);
  else if (schema.kind === "list") compareLists(schema, pair);
  else compareMaps(schema, pair);
  return isLeaf;
}

function compareLeaf({ before, after, path, to }: Pair): void {
  if (before === undefined) to.added.insert(path);
  else if (after === undefined) to.removed.insert(path);
  else if (!jsonEquals(before, after)) to.modified.insert(path);
}

function compareMaps(schema: MapSchema, { before, after, path, to }: Pair): void {
  const [left, right] = [membersOf(before), membersOf(after)];
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const at = (holder: JsonObject) => (Object.hasOwn(holder, key) ? holder[key] : undefined);
    const member = { schema: memberSchema(schema, key), before: at(left), after: at(right) };
    compareAt({ ...member, path: [...path, fieldElement(key)], to });
  }
}

const membersOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

function compareLists(schema: ListSchema, { before, after, path, to }: Pair): void {
  const [left, right] = [grouped(schema, before), grouped(schema, after)];
  const item = schema.item();
  for (const element of new Set([...left.keys(), ...right.keys()])) {
    const at = [...path, element];
    const [olds, news] = [left.get(element) ?? [], right.get(element) ?? []];
    if (olds.length <= 1 && news.length <= 1) {
      compareAt({ schema: item, before: olds[0], after: news[0], path: at, to });
    } else if (olds.length >= 2 && news.length >= 2) {
      if (!jsonEquals(olds, news)) to.modified.insert(at);
    } else if (olds.length >= 2) {
      if (news.length > 0) compareAt({ schema: item, before: undefined, after: news[0], path: at, to });
      to.removed.insert(at);
    } else {
      if (olds.length > 0) compareAt({ schema: item, before: olds[0], after: undefined, path: at, to });
      to.added.insert(at);
    }
  }
}

function grouped(schema: ListSchema, value: unknown): Map<PathElement, unknown[]> {
  const groups = new Map<PathElement, unknown[]>();
  for (const [element, item] of indexList(schema, Array.isArray(value) ? value : [])) {
    groups.set(element, [...(groups.get(element) ?? []), item]);
  }
  return groups;
}
