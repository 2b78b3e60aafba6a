import { setOwn } from "@jibe/base";
import { isJsonObject, type JsonObject } from "../schema/json-object.ts";
import { keyElement, type PathElement, valueElement } from "./path-element.ts";
import type { ListSchema } from "./typed-schema.ts";

/** An element of a list has no place in it: it lacks its keys, or has the wrong shape. */
export class ListElementError extends Error {
  override readonly name = "ListElementError";
}

/** The path element by which a list of type `set` or `map` knows an element. */
export function listElement(schema: ListSchema, item: unknown): PathElement {
  if (schema.keys.length > 0) return keyElement(keysOf(schema, item));
  if (isJsonObject(item)) throw new ListElementError("associative list without keys has an element that's a map type");
  if (Array.isArray(item)) throw new ListElementError("not supported: associative list with lists as elements");
  if (item === null) {
    throw new ListElementError("associative list without keys has an element that's an explicit null");
  }
  return valueElement(item);
}

function keysOf(schema: ListSchema, item: unknown): JsonObject {
  if (item === null) throw new ListElementError("associative list with keys may not have a null element");
  if (!isJsonObject(item)) throw new ListElementError("associative list with keys may not have non-map elements");
  const keys: JsonObject = {};
  for (const key of schema.keys) {
    const value = Object.hasOwn(item, key) ? item[key] : schema.keyDefault(key);
    if (value !== undefined) setOwn(keys, key, value);
  }
  if (Object.keys(keys).length > 0) return keys;
  const names = `[${schema.keys.map((key) => JSON.stringify(key)).join(" ")}]`;
  const text = `associative list with keys has an element that omits all key fields ${names}`;
  throw new ListElementError(`${text} (and doesn't have default values for any key fields)`);
}

/** The same, undefined for items that have no place; those are reported when the object is checked. */
export function listElementIfAny(schema: ListSchema, item: unknown): PathElement | undefined {
  try {
    return listElement(schema, item);
  } catch (error) {
    if (error instanceof ListElementError) return undefined;
    throw error;
  }
}

/** The elements of a list with their places, in order. Items that have none are left out. */
export function indexList(schema: ListSchema, list: readonly unknown[]): (readonly [PathElement, unknown])[] {
  return list.flatMap((item) => {
    const element = listElementIfAny(schema, item);
    return element === undefined ? [] : [[element, item] as const];
  });
}
