import { AppError, cloneJson, jsonEquals, setOwn } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { hasMergeKeys, listMergeOf } from "./merge-keys.ts";

type Fields = Record<string, unknown>;

const deletePrefix = "$deleteFromPrimitiveList/";
const orderPrefix = "$setElementOrder/";

/**
 * Applies a strategic merge patch to a copy: objects merge, lists merge by the keys in `merge-keys.ts`, and the directives `$patch`,
 * `$retainKeys`, `$deleteFromPrimitiveList` and `$setElementOrder` are followed. Types without merge keys fail with `Unsupported`.
 */
export function applyStrategicMerge(object: KubernetesObject, patch: unknown): KubernetesObject {
  if (!hasMergeKeys(object.apiVersion)) {
    throw new AppError(
      "Unsupported",
      `strategic merge patches cannot be applied to ${object.apiVersion} ${object.kind}: use mergePatches`,
    );
  }
  if (!isFields(patch)) throw new AppError("InvalidArgument", "a strategic merge patch must be an object");
  return mergeFields(object, patch, { kind: object.kind, path: [] }) as KubernetesObject;
}

interface Where {
  readonly kind: string;
  readonly path: readonly string[];
}

function mergeFields(target: Fields, patch: Fields, where: Where): Fields {
  if (patch["$patch"] === "replace") return withoutDirectives(patch) as Fields;
  if (patch["$patch"] === "delete") return {};
  const retained = patch["$retainKeys"];
  const result: Fields = {};
  for (const [key, value] of Object.entries(target)) {
    if (!Array.isArray(retained) || retained.includes(key)) setOwn(result, key, value);
  }
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(deletePrefix)) deleteScalars(result, key.slice(deletePrefix.length), value);
    if (key.startsWith("$")) continue;
    const below = { kind: where.kind, path: [...where.path, key] };
    if (value === null) delete result[key];
    else setOwn(result, key, mergeValue(Object.hasOwn(result, key) ? result[key] : undefined, value, below));
  }
  for (const [key, order] of Object.entries(patch)) {
    if (key.startsWith(orderPrefix)) reorder(result, key.slice(orderPrefix.length), order, where);
  }
  return result;
}

function mergeValue(target: unknown, patch: unknown, where: Where): unknown {
  if (Array.isArray(patch)) return mergeList(Array.isArray(target) ? target : [], patch, where);
  if (!isFields(patch)) return cloneJson(patch);
  return isFields(target) ? mergeFields(target, patch, where) : withoutDirectives(patch);
}

function mergeList(target: readonly unknown[], patch: readonly unknown[], where: Where): unknown[] {
  const merge = listMergeOf(where.kind, where.path);
  const replaces = patch.some(
    (item) => isFields(item) && item["$patch"] === "replace" && Object.keys(item).length === 1,
  );
  if (!merge || replaces) return withoutDirectives(patch) as unknown[];
  if ("set" in merge) return [...target, ...patch.filter((item) => !target.some((known) => jsonEquals(known, item)))];
  let result = [...target];
  for (const item of patch) {
    if (!isFields(item) || item[merge.key] === undefined) {
      throw new AppError("InvalidArgument", `an element of ${where.path.join(".")} in the patch has no ${merge.key}`);
    }
    const at = result.findIndex((known) => isFields(known) && jsonEquals(known[merge.key], item[merge.key]));
    if (item["$patch"] === "delete") result = result.filter((_, index) => index !== at);
    else if (at < 0) result.push(withoutDirectives(item));
    else result[at] = mergeValue(result[at], item, where);
  }
  return result;
}

function deleteScalars(result: Fields, key: string, values: unknown): void {
  const list = result[key];
  if (!Array.isArray(list) || !Array.isArray(values)) return;
  result[key] = list.filter((item) => !values.some((value) => jsonEquals(value, item)));
}

/** Puts the elements that the directive names into its order; the others keep their place behind their neighbours. */
function reorder(result: Fields, key: string, order: unknown, where: Where): void {
  const list = result[key];
  const merge = listMergeOf(where.kind, [...where.path, key]);
  if (!Array.isArray(list) || !Array.isArray(order) || !merge) return;
  const idOf = (item: unknown) => ("key" in merge ? (isFields(item) ? item[merge.key] : undefined) : item);
  const rank = (item: unknown) => order.findIndex((wanted) => jsonEquals(idOf(wanted), idOf(item)));
  const ordered = list.filter((item) => rank(item) >= 0).sort((a, b) => rank(a) - rank(b));
  result[key] = list.map((item) => (rank(item) >= 0 ? ordered.shift() : item));
}

function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.filter((item) => !isFields(item) || item["$patch"] === undefined).map(withoutDirectives);
  }
  if (!isFields(value)) return cloneJson(value);
  const result: Fields = {};
  for (const [key, member] of Object.entries(value))
    if (!key.startsWith("$")) setOwn(result, key, withoutDirectives(member));
  return result;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}
