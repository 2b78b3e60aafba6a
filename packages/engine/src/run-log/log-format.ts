import { type Fields, type LogLevel, type LogLine, messageOf } from "@jibe/base";
import { goJson, sortedByKey } from "../layout/go-json.ts";

export type LogFormat = "text" | "json";

const levelNames: Readonly<Record<LogLevel, string>> = {
  debug: "debug",
  info: "info",
  warn: "warning",
  error: "error",
};
const reserved = new Set(["time", "level", "msg"]);

/** One line of a run's log, without the newline, as Velero's servers write it and its users search it. */
export function formatLogLine(line: LogLine, time: string, format: LogFormat): string {
  return format === "json" ? jsonLine(line, time) : textLine(line, time);
}

function textLine({ level, message, fields }: LogLine, time: string): string {
  let text = `time="${time}" level=${levelNames[level]}`;
  if (message !== "") text += ` msg=${quoted(message)}`;
  for (const key of Object.keys(fields).sort()) {
    text += ` ${reserved.has(key) ? `fields.${key}` : key}=${quoted(fieldText(fields[key]))}`;
  }
  return text;
}

function jsonLine({ level, message, fields }: LogLine, time: string): string {
  const entry: Record<string, unknown> = { time, level: levelNames[level], msg: message };
  for (const [key, value] of Object.entries(fields)) {
    // "error" may not be a text beside "error.file": log stores read the dot as nesting
    const name = key === "error" ? "error.message" : reserved.has(key) ? `fields.${key}` : key;
    entry[name] = value instanceof Error ? messageOf(value) : value;
  }
  return goJson(sortedByKey(entry));
}

/** A field's value as text: what the results file and the text log show of it. */
export function fieldText(value: Fields[string]): string {
  if (typeof value === "string") return value;
  if (value instanceof Error) return messageOf(value);
  if (value === undefined || value === null) return "<nil>";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const plain = /^[A-Za-z0-9._/@^+-]*$/;
const special = /["\\\p{C}\p{Zl}\p{Zp}]/gu;
const short: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\v": "\\v",
};

function quoted(text: string): string {
  if (plain.test(text)) return text;
  return `"${text.replace(special, (char) => short[char] ?? codeEscape(char))}"`;
}

function codeEscape(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x80) return `\\x${hex.padStart(2, "0")}`;
  return code > 0xffff ? `\\U${hex.padStart(8, "0")}` : `\\u${hex.padStart(4, "0")}`;
}
