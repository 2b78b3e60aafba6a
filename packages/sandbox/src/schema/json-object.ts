import { isRawNumber } from "@jibe/base";

export type JsonObject = Record<string, unknown>;

/** Whether a value is a JSON object: not null, not a list, not a number kept by its text. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** An own property, so that a key such as `constructor` never finds what it inherits. */
export function ownValue(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** An own property that is an object. */
export function ownObject(object: JsonObject, key: string): JsonObject | undefined {
  const value = ownValue(object, key);
  return isJsonObject(value) ? value : undefined;
}
