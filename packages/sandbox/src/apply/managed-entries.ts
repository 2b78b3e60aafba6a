import { isJsonObject, type JsonObject, ownValue } from "../schema/json-object.ts";
import { FieldSet } from "./field-set.ts";

export type Operation = "Apply" | "Update";

/** One item of `metadata.managedFields`. */
export interface ManagedFieldsEntry {
  readonly manager: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsType: "FieldsV1";
  readonly fieldsV1: JsonObject;
  readonly subresource?: string;
}

/** Who owns fields. Appliers are the same across API versions, updaters are not. */
export interface Manager {
  readonly manager: string;
  readonly operation: Operation;
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
}

export interface Ownership extends Manager {
  readonly fields: FieldSet;
  readonly time?: string | undefined;
}

/** All owners of an object's fields, by the key that tells one from another. */
export type Managed = Map<string, Ownership>;

/** Sorts as the API server's identifiers do, so that conflicts come in its order. */
export function managerKey({ manager, operation, apiVersion, subresource }: Manager): string {
  return JSON.stringify({
    manager,
    operation,
    ...(operation === "Apply" ? {} : { apiVersion }),
    ...(subresource ? { subresource } : {}),
  });
}

/** Reads `metadata.managedFields`; undefined when an entry is malformed. */
export function readManaged(entries: unknown): Managed | undefined {
  const managed: Managed = new Map();
  if (!Array.isArray(entries)) return managed;
  for (const entry of entries) {
    const ownership = readEntry(entry);
    if (!ownership) return undefined;
    managed.set(managerKey(ownership), ownership);
  }
  return managed;
}

function readEntry(entry: unknown): Ownership | undefined {
  if (!isJsonObject(entry)) return undefined;
  const text = (name: string) => {
    const value = ownValue(entry, name);
    return typeof value === "string" ? value : "";
  };
  const operation = text("operation");
  if (operation !== "Apply" && operation !== "Update") return undefined;
  if (text("apiVersion") === "" || text("fieldsType") !== "FieldsV1") return undefined;
  const fields = FieldSet.fromFieldsV1(entry["fieldsV1"] ?? {});
  if (!fields) return undefined;
  return {
    manager: text("manager"),
    operation,
    apiVersion: text("apiVersion"),
    subresource: text("subresource") || undefined,
    time: text("time") || undefined,
    fields,
  };
}

/** Writes `metadata.managedFields`: appliers first, then by time, manager, version and subresource. */
export function writeManaged(managed: Managed): ManagedFieldsEntry[] {
  return [...managed.values()].sort(compareOwnership).map(({ manager, operation, apiVersion, ...rest }) => ({
    manager,
    operation,
    apiVersion,
    ...(rest.time === undefined ? {} : { time: rest.time }),
    fieldsType: "FieldsV1" as const,
    fieldsV1: rest.fields.toFieldsV1(),
    ...(rest.subresource === undefined ? {} : { subresource: rest.subresource }),
  }));
}

function compareOwnership(a: Ownership, b: Ownership): number {
  const keys = (entry: Ownership) => [
    entry.operation,
    entry.time ?? "",
    entry.manager,
    entry.apiVersion,
    entry.subresource ?? "",
  ];
  const [left, right] = [keys(a), keys(b)];
  const index = left.findIndex((key, position) => key !== right[position]);
  return index < 0 ? 0 : (left[index] ?? "") < (right[index] ?? "") ? -1 : 1;
}
