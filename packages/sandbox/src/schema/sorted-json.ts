import { isRawNumber } from "@jibe/base";
import { isJsonObject } from "./json-object.ts";

/** JSON text as Go writes it: keys sorted, `<`, `>` and `&` escaped. */
export function sortedJson(value: unknown): string {
  return write(value).replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function write(value: unknown): string {
  if (isRawNumber(value)) return value.rawJSON;
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${write(value[key])}`).join(",")}}`;
}
