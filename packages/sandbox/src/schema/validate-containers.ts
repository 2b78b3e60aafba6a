import { jsonEquals } from "@jibe/base";
import { invalid, required, tooMany } from "./field-error.ts";
import { isJsonObject, type JsonObject, ownValue } from "./json-object.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import type { Check, Subject } from "./subject.ts";
import { fieldAt } from "./validate-scalars.ts";
import { ValidationResult } from "./validation-result.ts";

export function checkList({ schema, path, old }: Subject, list: readonly unknown[], check: Check): ValidationResult {
  const result = new ValidationResult();
  const { items, minItems, maxItems, uniqueItems } = schema;
  if (items) {
    const oldItem = oldItemFinder(schema, old);
    for (const [index, value] of list.entries()) {
      result.merge(check({ schema: items, value, path: `${path}[${index}]`, old: oldItem(value) }));
    }
  }
  const size = list.length;
  if (minItems !== undefined && size < minItems) {
    result.add(invalid(fieldAt(path), size, `${path} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && size > maxItems) result.add(tooMany(fieldAt(path), size, maxItems));
  if (uniqueItems && list.some((item, index) => list.slice(0, index).some((other) => jsonEquals(item, other)))) {
    result.add(invalid(fieldAt(path), "", `${path} in body shouldn't contain duplicates`));
  }
  return result.matched();
}

/** Only elements of a list with map keys can be told again in the old list. */
function oldItemFinder(schema: StructuralSchema, old: unknown): (item: unknown) => unknown {
  if (schema["x-kubernetes-list-type"] !== "map" || !Array.isArray(old)) return () => undefined;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  return (item) =>
    isJsonObject(item)
      ? old.find(
          (other) => isJsonObject(other) && keys.every((key) => jsonEquals(ownValue(item, key), ownValue(other, key))),
        )
      : undefined;
}

export function checkObject({ schema, path, old }: Subject, object: JsonObject, check: Check): ValidationResult {
  const result = new ValidationResult();
  const { properties = {}, additionalProperties, minProperties, maxProperties } = schema;
  const size = Object.keys(object).length;
  if (minProperties !== undefined && size < minProperties) {
    result.add(invalid(fieldAt(path), size, `${path} in body should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && size > maxProperties) result.add(tooMany(fieldAt(path), size, maxProperties));
  for (const [key, value] of Object.entries(object)) {
    const oldValue = isJsonObject(old) ? ownValue(old, key) : undefined;
    const isTypeMeta = path === "" && (key === "kind" || key === "apiVersion");
    const before = isTypeMeta ? undefined : oldValue;
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property) {
      result.merge(check({ schema: property, value, path: path === "" ? key : `${path}.${key}`, old: before }));
    } else if (typeof additionalProperties === "object") {
      result.merge(check({ schema: additionalProperties, value, path: `${path}.${key}`, old: before }));
    } else if (additionalProperties === false) {
      result.add(invalid(fieldAt(path), key, `${path}.${key} in body is a forbidden property`));
    }
  }
  for (const key of schema.required ?? []) {
    if (!Object.hasOwn(object, key)) result.add(required(fieldAt(`${path}.${key}`)));
  }
  return result;
}
