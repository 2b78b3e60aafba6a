import { cloneJson, isRawNumber, jsonEquals } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";

export type Fields = Record<string, unknown>;

/** A value as an object, empty when it is none: what lies in an archive may have any shape. */
export function fieldsOf(value: unknown): Fields {
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);
  return isMap ? (value as Fields) : {};
}

/** The objects of a list. */
export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter((entry) => fieldsOf(entry) === entry) : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A number, also one that is kept by its text or stands in quotes; 0 for anything else. */
export function numberOf(value: unknown): number {
  const number = Number(isRawNumber(value) ? value.rawJSON : typeof value === "object" ? Number.NaN : value);
  return Number.isNaN(number) ? 0 : number;
}

/** Sets a list, or removes the key when nothing is left, as the API server would write it. */
export function setList(target: Fields, key: string, entries: readonly unknown[]): void {
  if (entries.length > 0) target[key] = entries;
  else delete target[key];
}

/** Removes keys from the map under `key`, and the map itself once it is empty. */
export function removeKeys(target: Fields, key: string, drop: (entry: string, value: unknown) => boolean): void {
  const map = fieldsOf(target[key]);
  const dropped = Object.keys(map).filter((entry) => drop(entry, map[entry]));
  for (const entry of dropped) delete map[entry];
  if (dropped.length > 0 && Object.keys(map).length === 0) delete target[key];
}

/** The item after an edit of a copy; the very same item when the edit changed nothing, so that its bytes stay as they are. */
export function edited(item: KubernetesObject, edit: (copy: KubernetesObject) => void): KubernetesObject {
  const copy = cloneJson(item);
  edit(copy);
  return jsonEquals(copy, item) ? item : copy;
}
