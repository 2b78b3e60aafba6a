import { cloneJson, setOwn } from "@jibe/base";
import { isJsonObject, type JsonObject } from "../schema/json-object.ts";
import { indexList } from "./list-elements.ts";
import type { PathElement } from "./path-element.ts";
import {
  isEmptyContainer,
  type ListSchema,
  type MapSchema,
  memberSchema,
  resolve,
  type TypedSchema,
} from "./typed-schema.ts";

/** The live value with what was applied laid over it. `undefined` stands for a value that is not there. */
export function mergeFields(schema: TypedSchema, live: unknown, applied: unknown): unknown {
  const resolved = resolve(schema, applied === undefined ? live : applied);
  const isLeaf =
    resolved.kind === "scalar" ||
    resolved.relationship === "atomic" ||
    (isEmptyContainer(live) && isEmptyContainer(applied));
  if (isLeaf) return cloneJson(applied === undefined ? live : applied);
  return resolved.kind === "list" ? mergeLists(resolved, live, applied) : mergeMaps(resolved, live, applied);
}

function mergeMaps(schema: MapSchema, live: unknown, applied: unknown): JsonObject {
  const [left, right] = [isJsonObject(live) ? live : {}, isJsonObject(applied) ? applied : {}];
  const merged: JsonObject = {};
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const at = (holder: JsonObject) => (Object.hasOwn(holder, key) ? holder[key] : undefined);
    setOwn(merged, key, mergeFields(memberSchema(schema, key), at(left), at(right)));
  }
  return merged;
}

/**
 * Elements that only the live list has keep their place as far as the applied order allows; the others stand in the
 * applied order.
 */
function mergeLists(schema: ListSchema, live: unknown, applied: unknown): unknown[] {
  const left = indexList(schema, Array.isArray(live) ? live : []);
  const right = indexList(schema, Array.isArray(applied) ? applied : []);
  const appliedItems = new Map(right);
  const liveItems = uniqueItems(left);
  const isLive = new Set(left.map(([element]) => element));
  const shared = right.map(([element]) => element).filter((element) => isLive.has(element));
  const done = new Set<PathElement>();
  const merged: unknown[] = [];
  const take = (element: PathElement) => {
    done.add(element);
    if (shared[0] === element) shared.shift();
    merged.push(mergeFields(schema.item(), liveItems.get(element), appliedItems.get(element)));
  };

  let [l, r] = [0, 0];
  while (l < left.length || r < right.length) {
    const [liveElement, liveItem] = left[l] ?? [];
    const [appliedElement] = right[r] ?? [];
    if (liveElement !== undefined && liveElement === appliedElement) {
      take(liveElement);
      l++;
      r++;
    } else if (liveElement !== undefined && !appliedItems.has(liveElement)) {
      merged.push(mergeFields(schema.item(), liveItem, undefined));
      l++;
    } else if (liveElement !== undefined && (done.has(liveElement) || waitsForAnother(liveElement))) {
      l++;
    } else if (appliedElement !== undefined) {
      take(appliedElement);
      r++;
    } else {
      l++;
    }
  }
  return merged;

  function waitsForAnother(element: PathElement): boolean {
    return r < right.length && shared[0] !== undefined && shared[0] !== element;
  }
}

/** Elements that appear more than once in the live list are not merged with what was applied. */
function uniqueItems(elements: readonly (readonly [PathElement, unknown])[]): Map<PathElement, unknown> {
  const items = new Map<PathElement, unknown>();
  for (const [element, item] of elements) items.set(element, items.has(element) ? undefined : item);
  return items;
}
