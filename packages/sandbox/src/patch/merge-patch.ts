import { cloneJson, setOwn } from "@jibe/base";
import { isJsonObject, type JsonObject } from "../schema/json-object.ts";
import { jsonTypeOf } from "./json-patch-operations.ts";
import { PatchError } from "./patch-error.ts";

/**
 * Applies an RFC 7386 patch to an object and returns a new one. As the API server does, it also drops the null
 * members of objects inside a list, when the list does not take the place of an object.
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (patch === null) throw new PatchError("BadRequest", "Invalid JSON Patch");
  if (!isJsonObject(patch)) {
    const found = jsonTypeOf(patch);
    const text = `error decoding patch: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`;
    throw new PatchError("BadRequest", text);
  }
  return isJsonObject(target) ? mergeObjects(cloneJson(target), patch) : withoutNulls(patch);
}

function mergeObjects(target: JsonObject, patch: JsonObject): JsonObject {
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete target[key];
    else setOwn(target, key, mergeValue(Object.hasOwn(target, key) ? target[key] : null, value));
  }
  return target;
}

function mergeValue(current: unknown, patch: unknown): unknown {
  if (!isJsonObject(current)) return withoutNulls(patch);
  return isJsonObject(patch) ? mergeObjects(current, patch) : cloneJson(patch);
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept: JsonObject = {};
  for (const [key, member] of Object.entries(value)) if (member !== null) setOwn(kept, key, withoutNulls(member));
  return kept;
}
