import { cloneJson, setOwn } from "@jibe/base";
import { isJsonObject } from "./json-object.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** Sets the defaults of a custom resource's schema, in place. Nulls that are not allowed go, or become the default. */
export function applyDefaults(schema: StructuralSchema, object: unknown): void {
  dropNulls(schema, object);
  setDefaults(schema, object);
}

function memberSchema(schema: StructuralSchema | undefined, key: string): StructuralSchema | undefined {
  const { properties = {}, additionalProperties } = schema ?? {};
  if (Object.hasOwn(properties, key)) return properties[key];
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

function dropNulls(schema: StructuralSchema | undefined, value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) dropNulls(schema?.items, item);
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      const child = memberSchema(schema, key);
      if (member === null && child && !child.nullable && child.default === undefined) delete value[key];
      else dropNulls(child, member);
    }
  }
}

function setDefaults(schema: StructuralSchema | undefined, value: unknown): void {
  if (!schema) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (item === null && schema.items && !schema.items.nullable) value[index] = defaultOf(schema.items);
      setDefaults(schema.items, value[index]);
    }
  } else if (isJsonObject(value)) {
    for (const [key, property] of Object.entries(schema.properties ?? {})) {
      const missing = !Object.hasOwn(value, key) || (value[key] === null && !property.nullable);
      if (property.default !== undefined && missing) setOwn(value, key, defaultOf(property));
    }
    for (const [key, member] of Object.entries(value)) {
      const child = memberSchema(schema, key);
      if (member === null && child && !child.nullable) setOwn(value, key, defaultOf(child));
      setDefaults(child, value[key]);
    }
  }
}

const defaultOf = (schema: StructuralSchema): unknown => cloneJson(schema.default ?? null);
