import { isRawNumber } from "@jibe/base";
import { type FieldError, invalid, notSupported, tooLong, typeInvalid } from "./field-error.ts";
import { hasFormat, isKnownFormat } from "./formats.ts";
import { goQuote } from "./go-format.ts";
import { regExpFromGo } from "./go-regexp.ts";
import { sortedJson } from "./sorted-json.ts";
import type { StructuralSchema } from "./structural-schema.ts";
import type { Subject } from "./subject.ts";
import { ValidationResult } from "./validation-result.ts";

/** Whether a value is a number, also one kept by its text. */
export const isNumber = (value: unknown): value is number | { readonly rawJSON: string } =>
  typeof value === "number" || isRawNumber(value);

const textOf = (value: unknown) => (isRawNumber(value) ? value.rawJSON : String(value));
const numeric = (value: unknown) => Number(textOf(value));
const isIntegerText = (text: string) => /^-?\d+$/.test(text);

/** The JSON schema type of a value as the API server sees it: `1.0` is a number, `1` an integer. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (isNumber(value)) return isIntegerText(textOf(value)) && fitsInt64(textOf(value)) ? "integer" : "number";
  return typeof value;
}

const fitsInt64 = (text: string) => BigInt.asIntN(64, BigInt(text)) === BigInt(text);

/** The path in a field error; the whole object has none, which Go prints as it prints a missing path. */
export const fieldAt = (path: string) => (path === "" || path === "." ? "<nil>" : path.replace(/^\./, ""));

export function allowedTypes(schema: StructuralSchema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"]) return ["integer", "string"];
  return schema.type ? [schema.type] : [];
}

export function checkType({ schema, value, path }: Subject): ValidationResult {
  const result = new ValidationResult();
  const allowed = allowedTypes(schema);
  const found = typeOf(value);
  const format = checkedFormat(schema);
  const isNumeric = allowed.includes("integer") || allowed.includes("number");
  const isListOrText = found === "array" || found === "string";
  if (allowed.length === 0 || (found === "null" && schema.nullable) || isOfType(allowed, found, value)) {
    return result.matched();
  }
  if (format === "" || found === "null") return result.add(wrongType(path, allowed.join(","), found));
  // With a format the server names the format, and lets lists pass as texts.
  if (isListOrText) return isNumeric ? result.add(wrongType(path, allowed.join(","), found)) : result.matched();
  return result.add(wrongType(path, format, { integer: "int64", number: "float64" }[found] ?? ""));
}

function isOfType(allowed: readonly string[], found: string, value: unknown): boolean {
  const isFloatInteger = found === "number" && Number.isInteger(numeric(value)) && allowed.includes("integer");
  return allowed.includes(found) || isFloatInteger || (found === "integer" && allowed.includes("number"));
}

const wrongType = (path: string, type: string, found: string) =>
  typeInvalid(fieldAt(path), found, mustBe(path, type, found));

/** The format, where it is one that is checked for the type. */
function checkedFormat({ type = "", format = "", ...schema }: StructuralSchema): string {
  if (type === "integer") return format === "int32" || format === "int64" ? format : "";
  if (type === "number") return format === "float" || format === "double" ? format : "";
  const isText = type === "string" || type === "" || schema["x-kubernetes-int-or-string"];
  return isText && isKnownFormat(format) ? format : "";
}

const mustBe = (path: string, type: string, found: string) =>
  `${path} in body must be of type ${type}: ${goQuote(found)}`;

export function checkEnum({ schema, value, path }: Subject): ValidationResult {
  const result = new ValidationResult();
  const values = schema.enum ?? [];
  if (values.length === 0 || values.some((allowed) => isEnumValue(allowed, value))) return result;
  const supported = values.map((allowed) => (typeof allowed === "string" ? allowed : sortedJson(allowed)));
  return result.add(notSupported(fieldAt(path), value, supported));
}

/** The server converts a number to the kind that the enum holds, so 1.5 counts as 1. */
function isEnumValue(allowed: unknown, value: unknown): boolean {
  if (!isNumber(allowed) || !isNumber(value)) return sortedJson(allowed) === sortedJson(value);
  return compareNumbers(allowed, isIntegerText(textOf(allowed)) ? limitOf(value) : value) === 0;
}

export function checkString({ schema, value, path }: Subject): ValidationResult {
  const result = new ValidationResult();
  const text = String(value);
  const { maxLength, minLength, pattern } = schema;
  const length = [...text].length;
  if (maxLength !== undefined && length > maxLength) return result.add(tooLong(fieldAt(path), maxLength));
  if (minLength !== undefined && length < minLength) {
    const detail = `${path} in body should be at least ${minLength} chars long`;
    return result.add(invalid(fieldAt(path), text, detail));
  }
  if (pattern && !regExpFromGo(pattern).test(text)) {
    return result.add(invalid(fieldAt(path), text, `${path} in body should match '${pattern}'`));
  }
  return result;
}

export function checkFormat({ schema, value, path }: Subject): ValidationResult {
  const result = new ValidationResult();
  const { format = "", type = "" } = schema;
  if (format === "" || (type !== "" && type !== "string") || schema["x-kubernetes-int-or-string"]) return result;
  const text = String(value);
  const verdict = hasFormat(format, text);
  if (verdict === undefined) return result;
  result.matched();
  return verdict ? result : result.add(typeInvalid(fieldAt(path), text, mustBe(path, format, text)));
}

export function checkNumber(subject: Subject): ValidationResult {
  const { schema, value, path } = subject;
  const result = new ValidationResult().matched();
  const range = rangeProblem(schema, textOf(value), path);
  if (range) result.add(range);
  const fail = (detail: string) => result.add(invalid(fieldAt(path), value, `${path} in body should be ${detail}`));
  const { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (isNumber(multipleOf)) result.merge(checkMultiple(subject, limitFor(value, multipleOf)));
  if (isNumber(minimum)) {
    const limit = limitFor(value, minimum);
    const order = compareNumbers(value, limit);
    if (order < 0 || (exclusiveMinimum && order === 0)) {
      fail(`greater than ${exclusiveMinimum ? "" : "or equal to "}${textOf(limit)}`);
    }
  }
  if (isNumber(maximum)) {
    const limit = limitFor(value, maximum);
    const order = compareNumbers(value, limit);
    if (order > 0 || (exclusiveMaximum && order === 0)) {
      fail(`less than ${exclusiveMaximum ? "" : "or equal to "}${textOf(limit)}`);
    }
  }
  return result;
}

/** The API server compares an integer with a limit cut to an integer, even where the schema allows fractions. */
const limitFor = (value: unknown, limit: unknown) => (isIntegerText(textOf(value)) ? limitOf(limit) : limit);
const limitOf = (limit: unknown) => (isIntegerText(textOf(limit)) ? limit : Math.trunc(numeric(limit)));

function compareNumbers(left: unknown, right: unknown): number {
  const [a, b] = [textOf(left), textOf(right)];
  if (!isIntegerText(a) || !isIntegerText(b)) return numeric(left) - numeric(right);
  return BigInt(a) < BigInt(b) ? -1 : BigInt(a) > BigInt(b) ? 1 : 0;
}

function checkMultiple({ value, path }: Subject, factor: unknown): ValidationResult {
  const result = new ValidationResult();
  if (numeric(factor) <= 0) {
    const detail = `factor MultipleOf declared for ${path} must be positive: ${textOf(factor)}`;
    return result.add(invalid(fieldAt(path), factor, detail));
  }
  if (isMultiple(value, factor)) return result;
  return result.add(invalid(fieldAt(path), value, `${path} in body should be a multiple of ${textOf(factor)}`));
}

function isMultiple(value: unknown, factor: unknown): boolean {
  const [a, b] = [textOf(value), textOf(factor)];
  if (isIntegerText(a) && isIntegerText(b)) return BigInt(a) % BigInt(b) === 0n;
  const quotient = numeric(factor) < 1 ? (1 / numeric(factor)) * numeric(value) : numeric(value) / numeric(factor);
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}

function rangeProblem({ type, format }: StructuralSchema, text: string, path: string): FieldError | undefined {
  if (type === "integer") {
    if (isWholeWithin(text, format === "int32" ? 32 : 64)) return undefined;
    const kind = format === "int32" || format === "int64" ? `with format ${format}` : "(default format)";
    return invalid("<nil>", "", `Checked value must be of type integer ${kind} in ${path}`);
  }
  if (type === "number" && format === "float" && Math.abs(Number(text)) > 3.4028234663852886e38) {
    return invalid("<nil>", "", `Checked value must be of type number with format float in ${path}`);
  }
  return undefined;
}

function isWholeWithin(text: string, bits: number): boolean {
  if (!isIntegerText(text)) return Number.isInteger(Number(text)) && Math.abs(Number(text)) < 2 ** (bits - 1);
  return BigInt.asIntN(bits, BigInt(text)) === BigInt(text);
}
