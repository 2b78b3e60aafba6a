import { isRawNumber } from "@jibe/base";
import { isJsonObject, type JsonObject } from "../schema/json-object.ts";

/** Reads an object of any shape by paths such as `spec.template.spec`, without ever failing. */
export function at(value: unknown, path: string): unknown {
  let current = value;
  for (const key of path.split(".")) {
    current = isJsonObject(current) && Object.hasOwn(current, key) ? current[key] : undefined;
  }
  return current ?? undefined;
}

export const objectAt = (value: unknown, path: string): JsonObject => {
  const found = at(value, path);
  return isJsonObject(found) ? found : {};
};

export const listAt = (value: unknown, path: string): readonly JsonObject[] => {
  const found = at(value, path);
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
};

export const textAt = (value: unknown, path: string): string => {
  const found = at(value, path);
  return typeof found === "string" ? found : "";
};

export const textsAt = (value: unknown, path: string): readonly string[] => {
  const found = at(value, path);
  return Array.isArray(found) ? found.filter((item) => typeof item === "string") : [];
};

export const numberAt = (value: unknown, path: string): number => {
  const found = at(value, path);
  if (isRawNumber(found)) return Number(found.rawJSON);
  return typeof found === "number" ? found : 0;
};

export const flagAt = (value: unknown, path: string): boolean => at(value, path) === true;

/** A text, number or percentage as it is written; undefined where there is none. */
export const scalarAt = (value: unknown, path: string): string | undefined => {
  const found = at(value, path);
  if (isRawNumber(found)) return found.rawJSON;
  return typeof found === "string" || typeof found === "number" ? String(found) : undefined;
};
