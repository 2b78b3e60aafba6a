import { cloneJson, jsonEquals, setOwn } from "@jibe/base";

interface ValueOperation<Op> {
  readonly op: Op;
  readonly path: string;
  readonly value: unknown;
}

interface FromOperation<Op> {
  readonly op: Op;
  readonly from: string;
  readonly path: string;
}

export type JsonPatchOperation =
  | ValueOperation<"add">
  | ValueOperation<"replace">
  | ValueOperation<"test">
  | FromOperation<"move">
  | FromOperation<"copy">
  | { readonly op: "remove"; readonly path: string };

/** Why a JSON patch does not apply. A failed test is often meant, the others are not. */
export class JsonPatchFailure extends Error {
  override readonly name = "JsonPatchFailure";
  readonly reason: "TestFailed" | "Missing" | "Invalid";

  constructor(reason: JsonPatchFailure["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Applies all operations to a copy, or none: the first that does not apply throws a `JsonPatchFailure`. */
export function applyJsonPatch<T>(document: T, operations: readonly JsonPatchOperation[]): T {
  const root = { document: cloneJson(document) as unknown };
  for (const operation of operations) applyOne(root, operation);
  return root.document as T;
}

type Root = { document: unknown };

function applyOne(root: Root, operation: JsonPatchOperation): void {
  const { path } = operation;
  if (operation.op === "test") test(root, path, operation.value);
  else if (operation.op === "move") add(root, path, remove(root, operation.from));
  else if (operation.op === "copy") add(root, path, cloneJson(valueAt(root, operation.from)));
  else {
    if (operation.op !== "add" && path !== "") remove(root, path);
    if (operation.op === "remove" && path === "") throw missing(path);
    if (operation.op !== "remove") add(root, path, cloneJson(operation.value));
  }
}

function test(root: Root, path: string, wanted: unknown): void {
  let found: unknown;
  try {
    found = valueAt(root, path);
  } catch (error) {
    if (error instanceof JsonPatchFailure && error.reason === "Missing" && wanted === null) return;
    throw error;
  }
  if (!jsonEquals(found, wanted)) throw new JsonPatchFailure("TestFailed", `testing value ${path} failed`);
}

function valueAt(root: Root, path: string): unknown {
  if (path === "") return root.document;
  const { parent, key } = locate(root, path);
  if (Array.isArray(parent)) return parent[indexIn(parent, key, path, parent.length - 1)];
  if (!Object.hasOwn(parent, key)) throw missing(path);
  return parent[key];
}

function add(root: Root, path: string, value: unknown): void {
  if (path === "") {
    root.document = value;
    return;
  }
  const { parent, key } = locate(root, path);
  if (!Array.isArray(parent)) setOwn(parent, key, value);
  else if (key === "-") parent.push(value);
  else parent.splice(indexIn(parent, key, path, parent.length), 0, value);
}

function remove(root: Root, path: string): unknown {
  const { parent, key } = locate(root, path);
  if (Array.isArray(parent)) return parent.splice(indexIn(parent, key, path, parent.length - 1), 1)[0];
  if (!Object.hasOwn(parent, key)) throw missing(path);
  const value = parent[key];
  delete parent[key];
  return value;
}

type Container = Record<string, unknown> | unknown[];

/** The object or list that holds the last part of a path. */
function locate(root: Root, path: string): { readonly parent: Container; readonly key: string } {
  if (!path.startsWith("/")) throw new JsonPatchFailure("Invalid", `path ${JSON.stringify(path)} must begin with /`);
  const parts = path
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const key = parts.pop() ?? "";
  let current: unknown = root.document;
  for (const part of parts) {
    if (Array.isArray(current)) current = current[indexIn(current, part, path, current.length - 1)];
    else if (isRecord(current) && Object.hasOwn(current, part)) current = current[part];
    else throw missing(path);
  }
  if (!Array.isArray(current) && !isRecord(current)) throw missing(path);
  return { parent: current, key };
}

function indexIn(list: readonly unknown[], key: string, path: string, highest: number): number {
  if (!/^-?(0|[1-9]\d*)$/.test(key)) {
    throw new JsonPatchFailure("Invalid", `${JSON.stringify(key)} in path ${path} is no index`);
  }
  // Negative indexes count from the end, as in the library that Velero uses.
  const index = Number(key) < 0 ? list.length + Number(key) : Number(key);
  if (index < 0 || index > highest) throw missing(path);
  return index;
}

function missing(path: string): JsonPatchFailure {
  return new JsonPatchFailure("Missing", `nothing is at path ${path}`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
