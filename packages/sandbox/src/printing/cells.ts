import { formatLabelSelector, type LabelSelector } from "@jibe/base";
import type { JsonObject } from "../schema/json-object.ts";
import { humanDuration } from "./human-duration.ts";
import { at, listAt, objectAt, textAt } from "./read.ts";

/** The time since a timestamp; `<unknown>` when there is none. */
export function since(time: unknown, now: Date): string {
  const ms = typeof time === "string" ? Date.parse(time) : Number.NaN;
  return Number.isNaN(ms) ? "<unknown>" : humanDuration(now.getTime() - ms);
}

export const age = (object: JsonObject, now: Date) => since(at(object, "metadata.creationTimestamp"), now);
export const nameOf = (object: JsonObject) => textAt(object, "metadata.name");
export const isBeingDeleted = (object: JsonObject) => at(object, "metadata.deletionTimestamp") !== undefined;

/** Labels as `a=1,b=2`; `<none>` when there are none. */
export function labelsText(labels: JsonObject): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.sort().join(",");
}

/** A label selector as `a=1,b in (x,y),c`. */
export function selectorText(selector: unknown): string {
  const { matchLabels, matchExpressions } = objectAt({ selector }, "selector") as LabelSelector;
  return sortedTerms({ ...(matchLabels ? { matchLabels } : {}), ...(matchExpressions ? { matchExpressions } : {}) });
}

// Terms are sorted by their key, not by their text.
function sortedTerms({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const terms = [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...matchExpressions.map((expression) => ({
      key: expression.key,
      text: formatLabelSelector({ matchExpressions: [expression] }),
    })),
  ];
  return terms
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(",");
}

/** The same, `<none>` for a selector that is missing or empty. */
export const selectorOrNone = (selector: unknown) => selectorText(selector) || "<none>";

/** Names and images of a pod template's containers. */
export function containerCells(podSpec: unknown): [string, string] {
  const containers = listAt({ podSpec }, "podSpec.containers");
  return [
    containers.map((container) => textAt(container, "name")).join(","),
    containers.map((container) => textAt(container, "image")).join(","),
  ];
}

/** The first items of a list and how many there are beyond them. */
export function withMore(items: readonly string[], max: number, separator = ","): string {
  const shown = items.slice(0, max).join(separator);
  return items.length > max ? `${shown} + ${items.length - max} more...` : shown;
}

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

/** Access modes in their short form, always in the same order. */
export const accessModes = (modes: readonly string[]) =>
  Object.keys(shortModes)
    .filter((mode) => modes.includes(mode))
    .map((mode) => shortModes[mode])
    .join(",");

export const hasCondition = (object: JsonObject, type: string) =>
  listAt(object, "status.conditions").some(
    (condition) => textAt(condition, "type") === type && textAt(condition, "status") === "True",
  );
