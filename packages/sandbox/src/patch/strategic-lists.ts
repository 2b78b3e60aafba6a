import { goFormat } from "../schema/go-format.ts";
import { isJsonObject, type JsonObject, ownValue } from "../schema/json-object.ts";
import type { MergeSchema } from "./merge-schema.ts";
import { PatchError } from "./patch-error.ts";
import { patchDirective, withoutDirectives } from "./strategic-directives.ts";

const internal = (message: string) => new PatchError("Internal", message);

/** Merges a patch's list into the live one by merge key (or as a set of scalars) and settles the order. */
/** Merges two objects by their schema; handed in, since objects hold lists and lists hold objects. */
export type MergeMap = (target: JsonObject, patch: JsonObject, schema: MergeSchema | undefined) => JsonObject;

export function mergeList(
  current: unknown[],
  patch: unknown[],
  schema: MergeSchema | undefined,
  mergeMap: MergeMap,
): unknown[] {
  if (current.length === 0 && patch.length === 0) return current;
  if (!holdsObjects(current, patch)) {
    const merged = [...new Set([...current, ...patch])];
    return interleave({ merged, order: patch, live: current, keyed: (item) => item });
  }
  const mergeKey = schema?.mergeKey;
  if (mergeKey === undefined) {
    throw internal(`cannot merge lists without merge key for ${schema?.items()?.typeName ?? "Struct"}`);
  }
  const { base, rest } = applyElementDirectives(current as JsonObject[], patch as JsonObject[], mergeKey);
  const merged = mergeElements({ live: current, base, patch: rest, mergeKey, schema: schema?.items(), mergeMap });
  return interleave({ merged, order: rest, live: base, keyed: (item) => keyOf(item, mergeKey) });
}

interface OrderedLists {
  readonly current: unknown[] | undefined;
  readonly wanted: unknown[] | undefined;
  readonly order: unknown[];
  readonly schema: MergeSchema | undefined;
  readonly mergeMap: MergeMap;
}

/** The merged list in the order that `$setElementOrder` asks for; elements it does not name keep near their old place. */
export function orderLike({ current, wanted, order, schema, mergeMap }: OrderedLists): unknown[] {
  const mergeKey = schema?.mergeKey;
  const keyed = (item: unknown) => (mergeKey === undefined ? item : keyOf(item, mergeKey));
  checkOrder(wanted ?? [], order, keyed);
  const merges = schema?.patchStrategy.includes("merge") ?? false;
  const merged = mergedOf({ current, wanted, merges, schema, mergeMap });
  if ((current ?? []).length + (wanted ?? []).length === 0) {
    throw internal("no elements in any of the given slices");
  }
  return interleave({ merged, order, live: current ?? [], keyed });
}

function mergedOf(
  lists: Pick<OrderedLists, "current" | "wanted" | "schema" | "mergeMap"> & { readonly merges: boolean },
) {
  const { current, wanted, merges, schema, mergeMap } = lists;
  if (wanted === undefined) return current ?? [];
  if (current === undefined) return withoutDirectives(wanted) as unknown[];
  return merges ? mergeList(current, wanted, schema, mergeMap) : wanted;
}

/** The patch's elements must appear in the order list, in the same order; those it deletes need not. */
function checkOrder(wanted: readonly unknown[], order: readonly unknown[], keyed: (item: unknown) => unknown): void {
  if (wanted.length === 0 || order.length === 0) return;
  const kept = wanted.filter((item) => !(isJsonObject(item) && Object.hasOwn(item, patchDirective)));
  let next = 0;
  for (const item of order) if (next < kept.length && keyed(kept[next]) === keyed(item)) next++;
  if (next === kept.length) return;
  const lists = [goFormat(wanted), goFormat(order)];
  throw internal(`The order in patch list:\n${lists[0]}\n doesn't match $setElementOrder list:\n${lists[1]}\n`);
}

/** Carries out the elements with a directive; the live list is changed in place, as `deleteInPlace` says. */
function applyElementDirectives(current: JsonObject[], patch: JsonObject[], mergeKey: string) {
  let length = current.length;
  let replaces = false;
  const rest: JsonObject[] = [];
  for (const element of patch) {
    const directive = ownValue(element, patchDirective);
    if (directive === undefined) rest.push(element);
    else if (directive === "replace") replaces = true;
    else if (directive === "delete") {
      const key = keyOf(element, mergeKey);
      length = deleteInPlace(current, length, (item) => ownValue(item, mergeKey) === key);
    } else if (directive === "merge") {
      throw internal("merging lists cannot yet be specified in the patch");
    } else {
      throw internal(`unknown patch type: ${goFormat(directive)} in map: ${goFormat(element)}`);
    }
  }
  return replaces ? { base: rest, rest: [] } : { base: current.slice(0, length), rest };
}

/**
 * Moves the elements behind a deleted one forward and returns how many count. The server works on one array and later
 * takes the order of live elements from all of it, so what stands behind the end has to stay as it does there.
 */
function deleteInPlace(list: JsonObject[], length: number, isDeleted: (item: JsonObject) => boolean): number {
  let left = length;
  for (;;) {
    const index = list.slice(0, left).findIndex(isDeleted);
    if (index < 0) return left;
    list.copyWithin(index, index + 1, left);
    left--;
  }
}

interface Elements {
  /** The whole live list; elements that are added take the places that deleted ones left. */
  readonly live: unknown[];
  readonly base: readonly JsonObject[];
  readonly patch: readonly JsonObject[];
  readonly mergeKey: string;
  readonly schema: MergeSchema | undefined;
  readonly mergeMap: MergeMap;
}

function mergeElements({ live, base, patch, mergeKey, schema, mergeMap }: Elements): JsonObject[] {
  const merged = [...base];
  for (const element of patch) {
    const key = keyOf(element, mergeKey);
    const index = merged.findIndex((item) => ownValue(item, mergeKey) === key);
    const found = merged[index];
    if (found !== undefined) merged[index] = mergeMap(found, element, schema);
    else {
      if (merged.length < live.length) live[merged.length] = element;
      merged.push(element);
    }
  }
  return merged;
}

interface Interleaving {
  readonly merged: readonly unknown[];
  readonly order: readonly unknown[];
  readonly live: readonly unknown[];
  /** What tells one element from another. */
  readonly keyed: (item: unknown) => unknown;
}

/** Orders: elements named by `order` among themselves by it, the others by `live`, and each before what it stood before. */
function interleave({ merged, order, live, keyed }: Interleaving): unknown[] {
  const rankIn = (list: readonly unknown[]) => {
    const ranks = new Map<unknown, number>();
    for (const [index, item] of list.entries()) if (!ranks.has(keyed(item))) ranks.set(keyed(item), index);
    return (item: unknown) => ranks.get(keyed(item)) ?? -1;
  };
  const [inOrder, inLive] = [rankIn(order), rankIn(live)];
  const named = sortedBy(
    inOrder,
    merged.filter((item) => inOrder(item) >= 0),
  );
  const others = sortedBy(
    inLive,
    merged.filter((item) => inOrder(item) < 0),
  );
  const result: unknown[] = [];
  for (const item of named) {
    const place = inLive(item);
    while (others.length > 0 && place >= 0 && inLive(others[0]) >= 0 && inLive(others[0]) < place) {
      result.push(others.shift());
    }
    result.push(item);
  }
  return [...result, ...others];
}

/** An insertion sort in which an element without a rank goes before all that were there. */
function sortedBy(rankOf: (item: unknown) => number, items: readonly unknown[]): unknown[] {
  const isBefore = (a: unknown, b: unknown) => rankOf(a) < 0 || rankOf(b) < 0 || rankOf(a) < rankOf(b);
  const sorted: unknown[] = [];
  for (const item of items) {
    let index = sorted.length;
    while (index > 0 && isBefore(item, sorted[index - 1])) index--;
    sorted.splice(index, 0, item);
  }
  return sorted;
}

function keyOf(element: unknown, mergeKey: string): unknown {
  if (!isJsonObject(element)) throw internal("value for key 0 is not a map");
  if (Object.hasOwn(element, mergeKey)) return element[mergeKey];
  throw internal(`map: ${goFormat(element)} does not contain declared merge key: ${mergeKey}`);
}

function holdsObjects(current: readonly unknown[], patch: readonly unknown[]): boolean {
  const all = [...current, ...patch];
  if (all.some(Array.isArray)) throw new PatchError("Unprocessable", "lists of lists are not supported");
  const objects = all.filter(isJsonObject).length;
  if (objects !== 0 && objects !== all.length) {
    throw internal(`list element types are not identical: ${goFormat([current, patch])}`);
  }
  return objects > 0;
}
