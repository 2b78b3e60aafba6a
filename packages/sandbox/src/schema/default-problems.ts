import { cloneJson } from "@jibe/base";
import { type FieldError, invalid } from "./field-error.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import { pruneValue } from "./unknown-fields.ts";
import { validateAt } from "./validate.ts";

/** Defaults that do not meet the schema they belong to. */
export function defaultProblems(schema: StructuralSchema, path: string): FieldError[] {
  const { properties = {}, additionalProperties, items } = schema;
  const problems = ownProblems(schema, `${path}.default`);
  for (const [name, child] of Object.entries(properties)) {
    problems.push(...defaultProblems(child, `${path}.properties[${name}]`));
  }
  if (items) problems.push(...defaultProblems(items, `${path}.items`));
  if (typeof additionalProperties === "object") {
    problems.push(...defaultProblems(additionalProperties, `${path}.additionalProperties`));
  }
  return problems;
}

function ownProblems(schema: StructuralSchema, path: string): FieldError[] {
  if (schema.default === undefined || schema.default === null) return [];
  const value = cloneJson(schema.default);
  if (pruneValue(schema, value).length > 0) return [invalid(path, schema.default, "must not have unknown fields")];
  return validateAt(schema, schema.default, "").map((error) => ({
    ...error,
    field: error.field === "<nil>" ? path : `${path}.${error.field}`,
  }));
}
