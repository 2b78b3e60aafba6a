import { cloneJson, jsonEquals, setOwn } from "@jibe/base";
import { isJsonObject, type JsonObject, ownValue } from "../schema/json-object.ts";
import { type PatchOperation, readOperations } from "./json-patch-operations.ts";
import { parentAt } from "./json-pointer.ts";
import { PatchError } from "./patch-error.ts";

const maxOperations = 10_000;
/** The total size that "copy" operations may add; the API server's limit for a request body. */
const maxCopiedBytes = 3 * 1024 * 1024;

/**
 * Applies an RFC 6902 patch as the API server does and returns a new document. It departs from the RFC where the
 * server does: negative indices count from the end, `replace` and `copy` of a missing member act on null, `test`
 * without a value matches a missing member.
 */
export function applyJsonPatch(document: unknown, operations: unknown): unknown {
  const steps = readOperations(operations);
  if (steps.length > maxOperations) {
    const text = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${steps.length}`;
    throw new PatchError("TooLarge", text);
  }
  const state: State = { root: cloneJson(document), copied: 0 };
  for (const step of steps) runStep(state, step);
  return state.root;
}

interface State {
  root: unknown;
  copied: number;
}

function runStep(state: State, operation: PatchOperation): void {
  switch (operation.op) {
    case "add":
      add(state, { op: "add", path: requirePath(operation), value: operation.value ?? null });
      break;
    case "remove":
      take(state, requirePath(operation), "remove");
      break;
    case "replace":
      replace(state, requirePath(operation), operation.value ?? null);
      break;
    case "move":
      add(state, {
        op: "move",
        path: requirePath(operation),
        value: take(state, requireFrom(operation), "move"),
      });
      break;
    case "copy":
      copy(state, operation);
      break;
    case "test":
      test(state, requirePath(operation), operation.value ?? null);
      break;
    default:
      throw unprocessable(`Unexpected kind: ${operation.op ?? "unknown"}`);
  }
}

function requirePath({ op, path }: PatchOperation): string {
  if (path === undefined) throw unprocessable(`${op} operation failed to decode path: missing value`);
  return path;
}

function requireFrom({ op, from }: PatchOperation): string {
  if (from === undefined) {
    throw unprocessable(`${op} operation failed to decode from: operation, missing from field: missing value`);
  }
  return from;
}

const unprocessable = (message: string) => new PatchError("Unprocessable", message);

function parentOf(state: State, path: string, op: string): { container: JsonObject | unknown[]; key: string } {
  const found = parentAt(state.root, path);
  if (!found) throw unprocessable(`${op} operation does not apply: doc is missing path: "${path}": missing value`);
  return found;
}

interface Addition {
  readonly op: string;
  readonly path: string;
  readonly value: unknown;
}

function add(state: State, { op, path, value }: Addition): void {
  const { container, key } = parentOf(state, path, op);
  const own = cloneJson(value);
  if (!Array.isArray(container)) setOwn(container, key, own);
  else if (key === "-") container.push(own);
  else container.splice(indexWithin(key, container.length + 1, `error in ${op} for path: '${path}'`), 0, own);
}

function take(state: State, path: string, op: string): unknown {
  const { container, key } = parentOf(state, path, op);
  const context = `error in ${op} for path: '${path}'`;
  if (Array.isArray(container)) return container.splice(indexWithin(key, container.length, context), 1)[0];
  if (!Object.hasOwn(container, key)) {
    throw unprocessable(`${context}: Unable to remove nonexistent key: ${key}: missing value`);
  }
  const value = container[key];
  delete container[key];
  return value;
}

function read(state: State, path: string, op: string): unknown {
  const { container, key } = parentOf(state, path, op);
  if (!Array.isArray(container)) return ownValue(container, key) ?? null;
  return container[indexWithin(key, container.length, `error in ${op} for path: '${path}'`)];
}

function replace(state: State, path: string, value: unknown): void {
  if (path === "") {
    if (!isJsonObject(value) && !Array.isArray(value)) {
      throw unprocessable("replace operation value must be object or array");
    }
    state.root = cloneJson(value);
    return;
  }
  const { container, key } = parentOf(state, path, "replace");
  const missing = `replace operation does not apply: doc is missing key: ${path}`;
  if (!Array.isArray(container)) setOwn(container, key, cloneJson(value));
  else container[indexWithin(key, container.length, missing)] = cloneJson(value);
}

function copy(state: State, operation: PatchOperation): void {
  const value = read(state, requireFrom(operation), "copy");
  state.copied += JSON.stringify(value).length;
  if (state.copied > maxCopiedBytes) {
    const text = `Unable to complete the copy, the accumulated size increase of copy is ${state.copied}, exceeding the limit ${maxCopiedBytes}`;
    throw unprocessable(text);
  }
  add(state, { op: "copy", path: requirePath(operation), value });
}

function test(state: State, path: string, expected: unknown): void {
  const actual = path === "" ? state.root : read(state, path, "test");
  if (!jsonEquals(actual, expected)) throw unprocessable(`testing value ${path} failed: test failed`);
}

function indexWithin(key: string, size: number, context: string): number {
  if (!/^[+-]?\d+$/.test(key)) throw unprocessable(`${context}: strconv.Atoi: parsing "${key}": invalid syntax`);
  const index = Number(key);
  if (index >= size || index < -size) {
    throw unprocessable(`${context}: Unable to access invalid index: ${key}: invalid index referenced`);
  }
  return index < 0 ? index + size : index;
}
