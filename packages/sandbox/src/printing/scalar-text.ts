import { isRawNumber } from "@jibe/base";
import { sortedJson } from "../schema/sorted-json.ts";

/** A value as a text cell: strings bare, everything else as JSON. */
export function scalarText(value: unknown): string {
  if (typeof value === "string") return value;
  return isRawNumber(value) ? value.rawJSON : sortedJson(value);
}
