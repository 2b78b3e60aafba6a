import { setOwn } from "@jibe/base";
import { badRequest } from "../api/api-error.ts";
import { isTree, type Tree } from "../api/kube-object.ts";
import { canonicalQuantity } from "./quantity.ts";
import { type FieldNode, goTypeOf, type TypeNode } from "./type-nodes.ts";

/** Where the walk is: for messages, and where unknown fields are noted. */
interface Walk {
  readonly unknown: string[];
  readonly struct: string;
}

/** What a value of the wrong type is answered with; the caller adds which object it was. */
export class TypeMismatch extends Error {
  override readonly name = "TypeMismatch";
}

/**
 * Gives an object the form in which a Go server would write it back: only known fields, absent and zero values as its
 * struct tags say, quantities and times in their usual notation. Notes unknown fields by their path.
 */
export function decodeTyped(node: TypeNode, value: unknown, unknown: string[]): unknown {
  return decode(node, value, "", { unknown, struct: "" });
}

function decode(node: TypeNode, value: unknown, path: string, walk: Walk): unknown {
  switch (node.kind) {
    case "struct":
      return decodeStruct(node, value, path, walk);
    case "list":
      if (!Array.isArray(value)) throw mismatch(node, value, path, walk);
      return value.map((item, index) => decode(node.items, item ?? zeroOf(node.items), `${path}[${index}]`, walk));
    case "map": {
      if (!isTree(value)) throw mismatch(node, value, path, walk);
      const copy: Tree = {};
      for (const [key, item] of Object.entries(value)) {
        setOwn(copy, key, decode(node.values, item ?? zeroOf(node.values), joined(path, key), walk));
      }
      return copy;
    }
    default:
      return decodeScalar(node, value, path, walk);
  }
}

function decodeStruct(node: TypeNode & { kind: "struct" }, value: unknown, path: string, outer: Walk): Tree {
  if (!isTree(value)) throw mismatch(node, value, path, outer);
  const walk = { unknown: outer.unknown, struct: node.goName };
  const copy: Tree = {};
  for (const key of Object.keys(value)) {
    const field = node.fields.get(key);
    if (!field) walk.unknown.push(joined(path, key));
    else if (value[key] !== null) keep(copy, key, field, decode(field.node, value[key], joined(path, key), walk));
  }
  for (const [key, field] of node.fields) {
    if (key in copy) continue;
    if (field.nullable) copy[key] = null;
    else if (field.default !== undefined && !field.dropEmpty && !field.dropZero) {
      copy[key] = field.node.kind === "struct" ? decode(field.node, {}, path, walk) : field.default;
    }
  }
  return copy;
}

function keep(copy: Tree, key: string, field: FieldNode, value: unknown): void {
  if (value === undefined || (field.dropZero && (value === "" || value === 0 || value === false))) return;
  if (field.dropEmpty && isTree(value) && Object.keys(value).length === 0) return;
  const isEmpty = Array.isArray(value)
    ? value.length === 0
    : field.node.kind === "map" && Object.keys(value as Tree).length === 0;
  if (isEmpty && !field.nullable) return;
  copy[key] = value;
}

function decodeScalar(node: TypeNode, value: unknown, path: string, walk: Walk): unknown {
  switch (node.kind) {
    case "string":
    case "bytes":
      if (typeof value === "string") return value;
      break;
    case "boolean":
      if (typeof value === "boolean") return value;
      break;
    case "int32":
    case "int64":
      if (JSON.isRawJSON(value) || Number.isInteger(value)) return value;
      break;
    case "float":
      if (JSON.isRawJSON(value) || typeof value === "number") return value;
      break;
    case "quantity":
      return decodeQuantity(value);
    case "time":
    case "microTime":
      return decodeTime(node.kind, value, path);
    case "intOrString":
      if (typeof value === "string" || typeof value === "number") return value;
      break;
    default:
      return value;
  }
  throw mismatch(node, value, path, walk);
}

function decodeQuantity(value: unknown): unknown {
  const text = JSON.isRawJSON(value) ? (value as { rawJSON: string }).rawJSON : String(value);
  const canonical = canonicalQuantity(text);
  if (canonical !== undefined) return canonical;
  throw new TypeMismatch("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function decodeTime(kind: "time" | "microTime", value: unknown, path: string): unknown {
  if (typeof value !== "string" || !rfc3339.test(value)) {
    throw new TypeMismatch(
      `parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05Z07:00": cannot parse at ${path}`,
    );
  }
  const iso = new Date(value).toISOString();
  if (kind === "time") return `${iso.slice(0, 19)}Z`;
  const fraction = /\.(\d+)/.exec(value)?.[1] ?? "";
  return `${iso.slice(0, 19)}.${fraction.padEnd(6, "0").slice(0, 6)}Z`;
}

const zeroOf = (node: TypeNode): unknown => {
  if (node.kind === "struct" || node.kind === "map") return {};
  if (node.kind === "list") return [];
  if (node.kind === "boolean") return false;
  return node.kind === "int32" || node.kind === "int64" || node.kind === "float" ? 0 : "";
};

const joined = (path: string, key: string) => (path === "" ? key : `${path}.${key}`);

function mismatch(node: TypeNode, value: unknown, path: string, { struct }: Walk): TypeMismatch {
  const found = Array.isArray(value)
    ? "array"
    : isTree(value)
      ? "object"
      : typeof value === "boolean"
        ? "bool"
        : typeof value;
  const shown = found === "number" && Number.isFinite(value) && !Number.isInteger(value) ? `number ${value}` : found;
  const where = path.replaceAll(/\[\d+\]/g, "");
  return new TypeMismatch(
    `json: cannot unmarshal ${shown} into Go struct field ${struct}.${where} of type ${goTypeOf(node)}`,
  );
}

/** Turns a mismatch into the answer to a request that carried the object. */
export function decodingFailed(kind: string, apiVersion: string, error: TypeMismatch) {
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${error.message}`);
}
