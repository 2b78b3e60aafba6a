import { isRawNumber } from "@jibe/base";
import { isJsonObject } from "../schema/json-object.ts";

/** How apply and field ownership treat a value. Members are found on demand, since schemas may refer to themselves. */
export type TypedSchema = ScalarSchema | ListSchema | MapSchema | DeducedSchema;

export interface ScalarSchema {
  readonly kind: "scalar";
  readonly type: "string" | "number" | "boolean" | "any";
}

export interface ListSchema {
  readonly kind: "list";
  /** `atomic` lists are owned as a whole, the elements of a `set` or `map` one by one. */
  readonly relationship: "atomic" | "set" | "map";
  readonly keys: readonly string[];
  item(): TypedSchema;
  /** The value of a key that an element leaves out. */
  keyDefault(key: string): unknown;
}

export interface MapSchema {
  readonly kind: "map";
  readonly relationship: "atomic" | "granular";
  /** The schema of a declared field. */
  field(name: string): TypedSchema | undefined;
  /** The schema of members that are not declared; undefined where there may be none. */
  element(): TypedSchema | undefined;
}

/** A value without a schema: objects are granular, lists atomic. */
export interface DeducedSchema {
  readonly kind: "deduced";
}

export type ResolvedSchema = ScalarSchema | ListSchema | MapSchema;

export const deduced: DeducedSchema = { kind: "deduced" };
export const anyScalar: ScalarSchema = { kind: "scalar", type: "any" };

const deducedMap: MapSchema = { kind: "map", relationship: "granular", field: () => undefined, element: () => deduced };
const deducedList: ListSchema = {
  kind: "list",
  relationship: "atomic",
  keys: [],
  item: () => deduced,
  keyDefault: () => undefined,
};

/** The schema to use for a value: what has none is treated by its shape. */
export function resolve(schema: TypedSchema, value: unknown): ResolvedSchema {
  if (schema.kind !== "deduced") return schema;
  if (Array.isArray(value)) return deducedList;
  return isScalar(value) ? anyScalar : deducedMap;
}

export const memberSchema = (map: MapSchema, name: string): TypedSchema => map.field(name) ?? map.element() ?? deduced;

export const isScalar = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" || isRawNumber(value);

/** Lists and maps that are missing, null or of another shape count as empty. */
export const isEmptyContainer = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : !isJsonObject(value) || Object.keys(value).length === 0;
