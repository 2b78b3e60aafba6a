import { parseJson } from "@jibe/base";
import { goQuote } from "../schema/go-format.ts";
import { isJsonObject, type JsonObject } from "../schema/json-object.ts";
import { sortedJson } from "../schema/sorted-json.ts";

/**
 * One step of a path in `fieldsV1`, in its wire form, which also serves as its identity: `f:` a field, `k:{…}` the list
 * element with these keys, `v:` the list element that is this value, `i:` an index.
 */
export type PathElement = string;

export const fieldElement = (name: string): PathElement => `f:${name}`;
export const keyElement = (keys: JsonObject): PathElement => `k:${sortedJson(keys)}`;
export const valueElement = (value: unknown): PathElement => `v:${sortedJson(value)}`;

/** The name in a `f:` element; undefined for the other forms. */
export const fieldNameOf = (element: PathElement) => (element.startsWith("f:") ? element.slice(2) : undefined);

/** Reads an element from the wire and puts it into the form in which it can be compared. Undefined when it is none. */
export function parsePathElement(text: string): PathElement | undefined {
  const [kind, rest] = [text.slice(0, 2), text.slice(2)];
  if (kind === "f:") return text;
  if (kind === "i:") return /^-?\d+$/.test(rest) ? text : undefined;
  if (kind !== "k:" && kind !== "v:") return undefined;
  const value = jsonOrUndefined(rest);
  if (value === undefined) return undefined;
  if (kind === "v:") return valueElement(value);
  return isJsonObject(value) ? keyElement(value) : undefined;
}

function jsonOrUndefined(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined; // not JSON: the caller reports the element as a whole
  }
}

const order = "fkvi";

/** Fields first, then keys, values and indices. */
export function comparePathElements(a: PathElement, b: PathElement): number {
  const kinds = order.indexOf(a.charAt(0)) - order.indexOf(b.charAt(0));
  if (kinds !== 0) return kinds;
  if (a.startsWith("i:")) return Number(a.slice(2)) - Number(b.slice(2));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A path as messages show it: `.spec.containers[name="a"].image`. */
export const pathText = (path: readonly PathElement[]) => path.map(elementText).join("");

function elementText(element: PathElement): string {
  const rest = element.slice(2);
  if (element.startsWith("f:")) return `.${rest}`;
  if (element.startsWith("i:")) return `[${rest}]`;
  const value = parseJson(rest);
  if (!isJsonObject(value) || element.startsWith("v:")) return `[=${scalarText(value)}]`;
  const keys = Object.keys(value).sort();
  return `[${keys.map((key) => `${key}=${scalarText(value[key])}`).join(",")}]`;
}

const scalarText = (value: unknown) => (typeof value === "string" ? goQuote(value) : sortedJson(value));
