import { cloneJson, setOwn } from "@jibe/base";
import { goFormat } from "../schema/go-format.ts";
import { isJsonObject, type JsonObject, ownValue } from "../schema/json-object.ts";
import { jsonTypeOf } from "./json-patch-operations.ts";
import type { MergeSchema } from "./merge-schema.ts";
import { PatchError } from "./patch-error.ts";
import {
  applyRetainKeys,
  deletePrefix,
  orderPrefix,
  patchDirective,
  targetOfDirective,
  withoutDirectives,
} from "./strategic-directives.ts";
import { mergeList, orderLike } from "./strategic-lists.ts";

/**
 * Applies a strategic merge patch to an object of a built-in kind and returns a new one. Without a schema (custom
 * resources) the patch is refused, as the API server refuses it.
 */
export function applyStrategicMerge(target: unknown, patch: unknown, schema: MergeSchema | undefined): unknown {
  if (schema === undefined) throw new PatchError("BadRequest", "strategic merge patch format is not supported");
  if (!isJsonObject(patch)) {
    if (patch === null) return cloneJson(target);
    const text = `json: cannot unmarshal ${jsonTypeOf(patch)} into Go value of type map[string]interface {}`;
    throw new PatchError("BadRequest", text);
  }
  return mergeMap(isJsonObject(target) ? cloneJson(target) : {}, cloneJson(patch), schema);
}

/** Merges `patch` into `original`; both are consumed. */
export function mergeMap(original: JsonObject, patch: JsonObject, schema: MergeSchema | undefined): JsonObject {
  if (Object.hasOwn(patch, patchDirective)) return replacedMap(patch);
  applyRetainKeys(original, patch);
  applyElementOrders(original, patch, schema);
  for (const [name, value] of Object.entries(patch)) {
    if (name.startsWith(deletePrefix)) deleteFromList({ original, name, value, schema });
    else mergeField({ original, name, value, schema: schema?.field(name) });
  }
  return original;
}

function replacedMap(patch: JsonObject): JsonObject {
  const { [patchDirective]: directive, ...rest } = patch;
  if (directive === "replace") return rest;
  if (directive === "delete") return {};
  throw new PatchError("Internal", `unknown patch type: ${goFormat(directive)} in map: ${goFormat(patch)}`);
}

interface FieldPatch {
  readonly original: JsonObject;
  readonly name: string;
  readonly value: unknown;
  readonly schema: MergeSchema | undefined;
}

function mergeField({ original, name, value, schema }: FieldPatch): void {
  if (value === null) {
    delete original[name];
    return;
  }
  const current = ownValue(original, name);
  const replaces = schema?.patchStrategy.includes("replace") ?? false;
  if (isJsonObject(current) && isJsonObject(value)) {
    setOwn(original, name, replaces ? value : mergeMap(current, value, schema));
  } else if (Array.isArray(current) && Array.isArray(value)) {
    const merged = schema?.patchStrategy.includes("merge") ? mergeList(current, value, schema, mergeMap) : value;
    setOwn(original, name, merged);
  } else {
    takeNew(original, name, value);
  }
}

/** A value with no counterpart is taken without its nulls and without what carries a directive. */
function takeNew(original: JsonObject, name: string, value: unknown): void {
  const kept = withoutDirectives(discardNulls(value));
  if (kept === undefined) delete original[name];
  else setOwn(original, name, kept);
}

function discardNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(discardNulls);
  if (!isJsonObject(value)) return value;
  for (const [key, member] of Object.entries(value)) {
    if (member === null) delete value[key];
    else setOwn(value, key, discardNulls(member));
  }
  return value;
}

/** Carries out a list of scalars to delete; `name` is the directive, `schema` that of the object. */
function deleteFromList({ original, name: directive, value, schema }: FieldPatch): void {
  const name = targetOfDirective(directive, deletePrefix);
  if (value === null) {
    delete original[name];
    return;
  }
  const current = ownValue(original, name);
  if (!Array.isArray(current) || !Array.isArray(value)) return;
  if ([...current, ...value].some(isJsonObject)) {
    setOwn(original, name, mergeList(current, value, schema?.field(name), mergeMap));
  } else {
    setOwn(
      original,
      name,
      current.filter((item) => !value.includes(item)),
    );
  }
}

function applyElementOrders(original: JsonObject, patch: JsonObject, schema: MergeSchema | undefined): void {
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(orderPrefix)) continue;
    delete patch[directive];
    if (!Array.isArray(order)) {
      throw new PatchError("Internal", `expected a []interface {}, but received a ${goTypeOf(order)}`);
    }
    const name = targetOfDirective(directive, orderPrefix);
    applyElementOrder({ original, patch, name, order, schema: schema?.field(name) });
  }
}

interface OrderPatch {
  readonly original: JsonObject;
  readonly patch: JsonObject;
  readonly name: string;
  readonly order: unknown[];
  readonly schema: MergeSchema | undefined;
}

function applyElementOrder({ original, patch, name, order, schema }: OrderPatch): void {
  const current = listOrUndefined(original, name);
  const wanted = listOrUndefined(patch, name);
  if (current === undefined && wanted === undefined) return;
  const merged = orderLike({ current, wanted, order, schema, mergeMap });
  setOwn(original, name, merged);
  delete patch[name];
}

function listOrUndefined(object: JsonObject, name: string): unknown[] | undefined {
  if (!Object.hasOwn(object, name)) return undefined;
  const value = object[name];
  if (Array.isArray(value)) return value;
  throw new PatchError("Internal", `expected a []interface {}, but received a ${goTypeOf(value)}`);
}

function goTypeOf(value: unknown): string {
  if (value === null) return "%!s(<nil>)";
  if (isJsonObject(value)) return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : typeof value;
}
