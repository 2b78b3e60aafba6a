import { isRawNumber } from "@jibe/base";
import { isJsonObject } from "../schema/json-object.ts";
import type { FieldPath } from "./field-set.ts";
import { ListElementError, listElement } from "./list-elements.ts";
import { fieldElement, type PathElement, pathText } from "./path-element.ts";
import { type ListSchema, memberSchema, resolve, type ScalarSchema, type TypedSchema } from "./typed-schema.ts";

/** What keeps a value from being of a type, in the words of the API server: `.spec.x: field not declared in schema`. */
export function typedProblems(schema: TypedSchema, value: unknown, options: { readonly allowDuplicates: boolean }) {
  const checker = new Checker(options.allowDuplicates);
  checker.check(schema, value, []);
  return checker.problems;
}

class Checker {
  readonly problems: string[] = [];
  readonly #allowsDuplicates: boolean;

  constructor(allowsDuplicates: boolean) {
    this.#allowsDuplicates = allowsDuplicates;
  }

  #report(path: FieldPath, text: string): void {
    this.problems.push(`${pathText(path)}: ${text}`);
  }

  check(schema: TypedSchema, value: unknown, path: FieldPath): void {
    if (value === null || value === undefined) return;
    const resolved = resolve(schema, value);
    if (resolved.kind === "scalar") this.#checkScalar(resolved, value, path);
    else if (resolved.kind === "list") {
      if (Array.isArray(value)) this.#checkList(resolved, value, path);
      else this.#report(path, `expected list, got &${describe(value)}`);
    } else if (isJsonObject(value)) {
      for (const key of Object.keys(value).sort()) {
        const at = [...path, fieldElement(key)];
        if (resolved.field(key) || resolved.element()) this.check(memberSchema(resolved, key), value[key], at);
        else this.#report(at, "field not declared in schema");
      }
    } else this.#report(path, `expected map, got &${describe(value)}`);
  }

  #checkScalar({ type }: ScalarSchema, value: unknown, path: FieldPath): void {
    const isNumber = typeof value === "number" || isRawNumber(value);
    if (type === "number" && !isNumber) {
      this.#report(path, `expected numeric (int or float), got ${goTypeOf(value)}`);
    } else if (type === "string" && typeof value !== "string") {
      this.#report(path, `expected string, got &${describe(value)}`);
    } else if (type === "boolean" && typeof value !== "boolean") {
      this.#report(path, `expected boolean, got &${describe(value)}`);
    } else if (Array.isArray(value) || isJsonObject(value)) {
      this.#report(path, `expected any scalar, got ${goTypeOf(value)}`);
    }
  }

  #checkList(schema: ListSchema, list: readonly unknown[], path: FieldPath): void {
    const seen = new Set<PathElement>();
    for (const [index, item] of list.entries()) {
      const element = schema.relationship === "atomic" ? `i:${index}` : elementOrProblem(schema, item);
      if (element instanceof ListElementError) {
        this.#report(path, `element ${index}: ${element.message}`);
        continue;
      }
      if (seen.has(element) && !this.#allowsDuplicates) {
        this.#report(path, `duplicate entries for key ${pathText([element])}`);
      }
      seen.add(element);
      this.check(schema.item(), item, [...path, element]);
    }
  }
}

function elementOrProblem(schema: ListSchema, item: unknown): PathElement | ListElementError {
  try {
    return listElement(schema, item);
  } catch (error) {
    if (error instanceof ListElementError) return error;
    throw error;
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
