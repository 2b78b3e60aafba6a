import { isRawNumber } from "@jibe/base";
import { isJsonObject } from "../schema/json-object.ts";
import type { FieldPath } from "./field-set.ts";
import { ListElementError, listElement } from "./list-elements.ts";
import { fieldElement, type PathElement, pathText } from "./path-element.ts";
import { type ListSchema, memberSchema, resolve, type ScalarSchema, type TypedSchema } from "./typed-schema.ts";

/** What keeps a value from being of a type, in the words of the API server: `.spec.x: field not declared in schema`. */
export function typedProblems(schema: TypedSchema, value: unknown, options: { readonly allowDuplicates: boolean }) {
  const problems: string[] = [];
  check(schema, value, [], { ...options, problems });
  return problems;
}

interface Context {
  readonly allowDuplicates: boolean;
  readonly problems: string[];
}

const report = ({ problems }: Context, path: FieldPath, text: string) => problems.push(`${pathText(path)}: ${text}`);

function check(schema: TypedSchema, value: unknown, path: FieldPath, context: Context): void {
  if (value === null || value === undefined) return;
  const resolved = resolve(schema, value);
  if (resolved.kind === "scalar") checkScalar(resolved, value, path, context);
  else if (resolved.kind === "list") {
    if (Array.isArray(value)) checkList(resolved, value, path, context);
    else report(context, path, `expected list, got &${describe(value)}`);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value).sort()) {
      const at = [...path, fieldElement(key)];
      if (resolved.field(key) || resolved.element()) check(memberSchema(resolved, key), value[key], at, context);
      else report(context, at, "field not declared in schema");
    }
  } else report(context, path, `expected map, got &${describe(value)}`);
}

function checkScalar({ type }: ScalarSchema, value: unknown, path: FieldPath, context: Context): void {
  const isNumber = typeof value === "number" || isRawNumber(value);
  if (type === "number" && !isNumber) {
    report(context, path, `expected numeric (int or float), got ${goTypeOf(value)}`);
  } else if (type === "string" && typeof value !== "string") {
    report(context, path, `expected string, got &${describe(value)}`);
  } else if (type === "boolean" && typeof value !== "boolean") {
    report(context, path, `expected boolean, got &${describe(value)}`);
  } else if (Array.isArray(value) || isJsonObject(value)) {
    report(context, path, `expected any scalar, got ${goTypeOf(value)}`);
  }
}

function checkList(schema: ListSchema, list: readonly unknown[], path: FieldPath, context: Context): void {
  const seen = new Set<PathElement>();
  for (const [index, item] of list.entries()) {
    const element = schema.relationship === "atomic" ? `i:${index}` : elementOf(schema, item, index, path, context);
    if (element === undefined) continue;
    if (seen.has(element) && !context.allowDuplicates) {
      report(context, path, `duplicate entries for key ${pathText([element])}`);
    }
    seen.add(element);
    check(schema.item(), item, [...path, element], context);
  }
}

function elementOf(schema: ListSchema, item: unknown, index: number, path: FieldPath, context: Context) {
  try {
    return listElement(schema, item);
  } catch (error) {
    if (!(error instanceof ListElementError)) throw error;
    report(context, path, `element ${index}: ${error.message}`);
    return undefined;
  }
}

function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (isJsonObject(value)) return "map[string]interface {}";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  return Number.isInteger(Number(isRawNumber(value) ? value.rawJSON : value)) ? "int64" : "float64";
}

// The server prints its wrapper around the value here.
const describe = (value: unknown) => `{${isRawNumber(value) ? value.rawJSON : String(value)}}`;
