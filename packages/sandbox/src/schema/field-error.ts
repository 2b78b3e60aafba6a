import { isRawNumber } from "@jibe/base";
import { goQuote } from "./go-format.ts";
import { sortedJson } from "./sorted-json.ts";

/** One thing wrong with a field: `type` is the reason of a Status cause, `message` its text without the field. */
export interface FieldError {
  readonly type: string;
  readonly field: string;
  readonly message: string;
}

const withDetail = (text: string, detail: string) => (detail === "" ? text : `${text}: ${detail}`);

/** A bad value as messages show it. */
export function badValue(value: unknown): string {
  if (typeof value === "string") return goQuote(value);
  if (isRawNumber(value)) return value.rawJSON;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return sortedJson(value);
}

export const required = (field: string, detail = ""): FieldError => ({
  type: "FieldValueRequired",
  field,
  message: withDetail("Required value", detail),
});

export const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  type: "FieldValueInvalid",
  field,
  message: withDetail(`Invalid value: ${badValue(value)}`, detail),
});

export const typeInvalid = (field: string, value: unknown, detail: string): FieldError => ({
  ...invalid(field, value, detail),
  type: "FieldValueTypeInvalid",
});

export const forbidden = (field: string, detail: string): FieldError => ({
  type: "FieldValueForbidden",
  field,
  message: withDetail("Forbidden", detail),
});

export const duplicate = (field: string, value: unknown): FieldError => ({
  type: "FieldValueDuplicate",
  field,
  message: `Duplicate value: ${badValue(value)}`,
});

export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  type: "FieldValueNotSupported",
  field,
  message: withDetail(
    `Unsupported value: ${badValue(value)}`,
    supported.length === 0 ? "" : `supported values: ${supported.map(goQuote).join(", ")}`,
  ),
});

export const tooLong = (field: string, max: number): FieldError => ({
  type: "FieldValueTooLong",
  field,
  message: `Too long: may not be more than ${max} ${max === 1 ? "byte" : "bytes"}`,
});

export const tooMany = (field: string, actual: number, max: number): FieldError => ({
  type: "FieldValueTooMany",
  field,
  message: `Too many: ${actual}: must have at most ${max} ${max === 1 ? "item" : "items"}`,
});
