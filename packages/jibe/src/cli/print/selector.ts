import { formatLabelSelector, type LabelSelector } from "@jibe/base";

/** A selector for a table cell. */
export function selectorText(selector: LabelSelector | null | undefined): string {
  const text = selector ? formatLabelSelector(selector) : "";
  return text === "" ? "<none>" : text;
}
