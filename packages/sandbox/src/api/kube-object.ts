import { isRawNumber } from "@jibe/base";

export type Tree = Record<string, unknown>;

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string | null;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: Tree[];
  selfLink?: string;
}

/** An object of any type, as the server works on it: parsed, and free to be changed by whoever holds it. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  [key: string]: unknown;
}

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** The object at a path of keys; undefined where it is missing or no object. */
export function treeAt(value: unknown, ...path: readonly string[]): Tree | undefined {
  let current = value;
  for (const key of path) current = isTree(current) ? current[key] : undefined;
  return isTree(current) ? current : undefined;
}

/** The string at a path of keys; empty where it is missing or no string. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const parent = treeAt(value, ...path.slice(0, -1));
  const found = parent?.[path.at(-1) ?? ""];
  return typeof found === "string" ? found : "";
}

/** The list at a path of keys; empty where it is missing or no list. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = treeAt(value, ...path.slice(0, -1))?.[path.at(-1) ?? ""];
  return Array.isArray(found) ? found : [];
}

/** A time as Kubernetes writes it: UTC, whole seconds. */
export function timeText(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** A number, also one that is kept by its text; NaN for anything else. */
export function numberOf(value: unknown): number {
  if (isRawNumber(value)) return Number(value.rawJSON);
  return typeof value === "number" ? value : Number.NaN;
}
