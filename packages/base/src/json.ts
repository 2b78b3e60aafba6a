/** Any JSON value. Numbers that a JavaScript number cannot hold exactly are raw JSON (see `JSON.rawJSON`). */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

declare global {
  interface JSON {
    rawJSON(text: string): { readonly rawJSON: string };
    isRawJSON(value: unknown): boolean;
  }
}

// A number of 16 digits or more, with a fraction or exponent, or a negative zero may not survive as a JavaScript number. It stands
// after a key, a comma or a bracket; so addresses, versions and times in strings do not send a text the slow way.
const risky = /(?:^|"\s*:|[,[])\s*(?:-?[0-9]{16}|-?[0-9]+[.eE]|-0)/;

/** Parses JSON so that writing it again gives every number back as it was written. */
export function parseJson(text: string): unknown {
  return risky.test(text) ? JSON.parse(text, keepNumberText) : JSON.parse(text);
}

function keepNumberText(this: unknown, _key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  return String(value) === context.source ? value : JSON.rawJSON(context.source);
}

/** Whether a value is a number kept by its text. */
export function isRawNumber(value: unknown): value is { readonly rawJSON: string } {
  return JSON.isRawJSON(value);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** A deep copy that shares nothing mutable with the original. Raw numbers are immutable and kept as they are. */
export function cloneJson<T>(value: T): T {
  if (!isObject(value) || isRawNumber(value)) return value;
  if (Array.isArray(value)) return value.map((item) => cloneJson(item)) as T;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setOwn(copy, key, cloneJson(value[key]));
  return copy as T;
}

/** Assigns a key as data, `__proto__` included. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[key] = value;
  }
}

/** Whether two JSON values are the same; numbers are compared by their text, keys in any order. */
export function jsonEquals(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isRawNumber(a) || isRawNumber(b)) return numberText(a) !== undefined && numberText(a) === numberText(b);
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => jsonEquals(item, b[index]));
  }
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && jsonEquals(a[key], b[key]))
  );
}

function numberText(value: unknown): string | undefined {
  if (isRawNumber(value)) return value.rawJSON;
  return typeof value === "number" ? String(value) : undefined;
}
