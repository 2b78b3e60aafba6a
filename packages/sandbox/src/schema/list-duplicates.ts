import { duplicate, type FieldError, invalid } from "./field-error.ts";
import { isJsonObject, type JsonObject, ownValue } from "./json-object.ts";
import { sortedJson } from "./sorted-json.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** Elements that appear twice in lists of type `set` or `map`; each is named once, at its second place. */
export function listDuplicates(schema: StructuralSchema, value: unknown, path: string): FieldError[] {
  if (Array.isArray(value)) return duplicatesInList(schema, value, path);
  if (!isJsonObject(value)) return [];
  const { properties = {}, additionalProperties } = schema;
  return Object.entries(value).flatMap(([key, member]) => {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property) return listDuplicates(property, member, path === "" ? key : `${path}.${key}`);
    return typeof additionalProperties === "object"
      ? listDuplicates(additionalProperties, member, `${path}[${key}]`)
      : [];
  });
}

function duplicatesInList(schema: StructuralSchema, list: readonly unknown[], path: string): FieldError[] {
  const { items } = schema;
  const inner = items ? list.flatMap((item, index) => listDuplicates(items, item, `${path}[${index}]`)) : [];
  const listType = schema["x-kubernetes-list-type"];
  if (listType === "set") return [...repeated(list, path), ...inner];
  if (listType !== "map") return inner;
  const stray = list.findIndex((item) => item !== null && !isJsonObject(item));
  if (stray >= 0) {
    const detail = "must be an object for an array of list-type map";
    return [invalid(`${path}[${stray}]`, list[stray], detail), ...inner];
  }
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  return [
    ...repeated(
      list.map((item) => keysOf(item, keys)),
      path,
    ),
    ...inner,
  ];
}

function keysOf(item: unknown, keys: readonly string[]): JsonObject {
  const own: JsonObject = {};
  if (isJsonObject(item)) {
    for (const key of keys) if (Object.hasOwn(item, key)) own[key] = ownValue(item, key);
  }
  return own;
}

function repeated(values: readonly unknown[], path: string): FieldError[] {
  const seen = new Map<string, number>();
  const errors: FieldError[] = [];
  for (const [index, value] of values.entries()) {
    const text = sortedJson(value);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    if (times === 2) errors.push(duplicate(`${path}[${index}]`, value));
  }
  return errors;
}
