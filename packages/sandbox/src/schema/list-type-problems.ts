import { type FieldError, forbidden, invalid, notSupported, required } from "./field-error.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** What is wrong with `x-kubernetes-list-type` and `x-kubernetes-list-map-keys` of one schema. */
export function listTypeProblems(schema: StructuralSchema, path: string): FieldError[] {
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const at = `${path}.x-kubernetes-list-type`;
  const problems: FieldError[] = [];
  if (listType !== undefined && schema.type !== "array") {
    const detail = "must be array if x-kubernetes-list-type is specified";
    problems.push(schema.type ? invalid(`${path}.type`, schema.type, detail) : required(`${path}.type`, detail));
  } else if (listType === "set") {
    problems.push(...setItemProblems(schema, path));
  }
  if (listType !== undefined && !["atomic", "set", "map"].includes(listType)) {
    problems.push(notSupported(at, listType, ["atomic", "set", "map"]));
  }
  if (keys.length > 0 && listType !== "map") {
    const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    problems.push(listType === undefined ? required(at, detail) : invalid(at, listType, detail));
  }
  if ((listType === "set" || listType === "map") && schema.items?.nullable) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    problems.push(forbidden(`${path}.items.nullable`, detail));
  }
  return listType === "map" ? [...problems, ...mapListProblems(schema, keys, path)] : problems;
}

function setItemProblems({ items }: StructuralSchema, path: string): FieldError[] {
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items?.["x-kubernetes-list-type"];
  if (items?.type === "array" && listType !== undefined && listType !== "atomic") {
    return [invalid(`${path}.items.x-kubernetes-list-type`, listType, detail)];
  }
  if (items?.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    return [invalid(`${path}.items.x-kubernetes-map-type`, listType ?? null, detail)];
  }
  return [];
}

function mapListProblems({ items }: StructuralSchema, keys: readonly string[], path: string): FieldError[] {
  const keysAt = `${path}.x-kubernetes-list-map-keys`;
  const problems: FieldError[] = [];
  if (keys.length === 0) problems.push(required(keysAt, "must not be empty if x-kubernetes-list-type is map"));
  if (!items) return [...problems, required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map")];
  if (items.type !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...problems, invalid(`${path}.items.type`, items.type ?? "", detail)];
  }
  for (const [index, key] of keys.entries()) {
    problems.push(...keyProblems(items, key, path));
    if (!Object.hasOwn(items.properties ?? {}, key)) {
      problems.push(invalid(keysAt, keys, "entries must all be names of item properties"));
    }
    if (keys.indexOf(key) < index) problems.push(invalid(keysAt, keys, "must not contain duplicate entries"));
  }
  return problems;
}

function keyProblems(items: StructuralSchema, key: string, path: string): FieldError[] {
  const property = Object.hasOwn(items.properties ?? {}, key) ? items.properties?.[key] : undefined;
  if (!property) return [];
  const at = `${path}.items.properties[${key}]`;
  const problems: FieldError[] = [];
  if (property.type === "array" || property.type === "object") {
    const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
    problems.push(invalid(`${at}.type`, items.type, detail));
  }
  const reason = "this property is in x-kubernetes-list-map-keys, so it";
  if (property.default === undefined && !(items.required ?? []).includes(key)) {
    problems.push(required(`${at}.default`, `${reason} must have a default or be a required property`));
  }
  if (property.nullable) problems.push(forbidden(`${at}.nullable`, `${reason} cannot be nullable`));
  return problems;
}
