import { isRawNumber } from "@jibe/base";
import { isJsonObject } from "./json-object.ts";

/** A value as Go prints it in the API server's messages: `map[a:1 b:[x y]]`, `<nil>`. */
export function goFormat(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (isRawNumber(value)) return value.rawJSON;
  if (Array.isArray(value)) return `[${value.map(goFormat).join(" ")}]`;
  if (!isJsonObject(value)) return String(value);
  const entries = Object.keys(value).sort();
  return `map[${entries.map((key) => `${key}:${goFormat(value[key])}`).join(" ")}]`;
}

/** A text as Go quotes it with %q, which is what `Invalid value: "…"` holds. */
export function goQuote(text: string): string {
  let quoted = '"';
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    const short = shortEscapes[char];
    if (short !== undefined) quoted += short;
    else if (code < 0x20 || code === 0x7f) quoted += `\\x${code.toString(16).padStart(2, "0")}`;
    else if (!isPrintable(char)) quoted += code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
    else quoted += char;
  }
  return `${quoted}"`;
}

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

const hex = (code: number, width: number) => code.toString(16).padStart(width, "0");
const isPrintable = (char: string) => char === " " || /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(char);
