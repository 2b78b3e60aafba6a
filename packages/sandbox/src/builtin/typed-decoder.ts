import { setOwn } from "@jibe/base";
import { isTree, type Tree } from "../api/kube-object.ts";
import { canonicalQuantity } from "./quantity.ts";
import { type FieldNode, goTypeOf, type TypeNode } from "./type-nodes.ts";

/** Where the walk is, for messages: only built from where something is wrong. */
interface Place {
  readonly parent: Place | undefined;
  readonly key: string | number;
  /** The struct that the key is a field of; empty for keys of maps and lists. */
  readonly struct: string;
}

interface Walk {
  readonly unknown: string[];
}

/** What a value of the wrong type is answered with; the caller adds which object it was. */
export class TypeMismatch extends Error {
  override readonly name = "TypeMismatch";
  /** The words for the same when the value came by a strategic merge and not as text. */
  readonly converting: string;

  constructor(message: string, converting = message) {
    super(message);
    this.converting = converting;
  }
}

/**
 * Gives an object the form in which a Go server would write it back: only known fields, absent and zero values as its
 * struct tags say, quantities and times in their usual notation. Notes unknown fields by their path.
 */
export function decodeTyped(node: TypeNode, value: unknown, unknown: string[]): unknown {
  return decode(node, value, undefined, { unknown });
}

function decode(node: TypeNode, value: unknown, at: Place | undefined, walk: Walk): unknown {
  switch (node.kind) {
    case "struct":
      return decodeStruct(node, value, at, walk);
    case "list":
      if (!Array.isArray(value)) throw mismatch(node, value, at);
      return value.map((item, key) =>
        decode(node.items, item ?? zeroOf(node.items), { parent: at, key, struct: "" }, walk),
      );
    case "map": {
      if (!isTree(value)) throw mismatch(node, value, at);
      const copy: Tree = {};
      for (const [key, item] of Object.entries(value)) {
        setOwn(copy, key, decode(node.values, item ?? zeroOf(node.values), { parent: at, key, struct: "" }, walk));
      }
      return copy;
    }
    default:
      return decodeScalar(node, value, at);
  }
}

function decodeStruct(node: TypeNode & { kind: "struct" }, value: unknown, at: Place | undefined, walk: Walk): Tree {
  if (!isTree(value)) throw mismatch(node, value, at);
  const copy: Tree = {};
  for (const key of Object.keys(value)) {
    const field = node.fields.get(key);
    const given = value[key];
    const place = { parent: at, key, struct: node.goName };
    if (!field) walk.unknown.push(pathOf(place));
    else if (given !== null) keep(copy, key, field, decode(field.node, given, place, walk));
  }
  for (const [key, field] of node.fields) {
    if (key in copy) continue;
    if (field.nullable) copy[key] = null;
    else if (field.default !== undefined && !field.dropEmpty && !field.dropZero) {
      copy[key] = field.node.kind === "struct" ? decode(field.node, {}, at, walk) : field.default;
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

function decodeScalar(node: TypeNode, value: unknown, at: Place | undefined): unknown {
  switch (node.kind) {
    case "string":
      if (typeof value === "string") return value;
      break;
    case "bytes":
      if (typeof value === "string") return checkBase64(value);
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
      return decodeTime(node.kind, value);
    case "intOrString":
      if (typeof value === "string" || typeof value === "number") return value;
      break;
    default:
      return value;
  }
  throw mismatch(node, value, at);
}

function decodeQuantity(value: unknown): unknown {
  const text = JSON.isRawJSON(value) ? (value as { rawJSON: string }).rawJSON : String(value);
  const canonical = canonicalQuantity(text);
  if (canonical !== undefined) return canonical;
  throw new TypeMismatch("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function checkBase64(text: string): string {
  if (base64.test(text)) return text;
  const bad = /[^A-Za-z0-9+/]/.exec(text)?.index ?? text.length - (text.length % 4);
  throw new TypeMismatch(`illegal base64 data at input byte ${bad}`);
}

const seconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
const zone = /^(Z|[+-]\d\d:\d\d)$/;

function decodeTime(kind: "time" | "microTime", value: unknown): unknown {
  const text = String(value);
  const layout = kind === "time" ? "2006-01-02T15:04:05Z07:00" : "2006-01-02T15:04:05.000000Z07:00";
  const start = seconds.exec(text)?.[0] ?? "";
  const fraction = /^\.\d+/.exec(text.slice(start.length))?.[0] ?? "";
  const rest = text.slice(start.length + fraction.length);
  const failed = (what: string, expected: string) =>
    new TypeMismatch(
      `parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(what)} as ${JSON.stringify(expected)}`,
    );
  if (start === "") throw failed(text, "2006");
  if (kind === "microTime" && fraction.length !== 7) throw failed(`${fraction}${rest}`, ".000000");
  if (!zone.test(rest)) throw failed(rest, "Z07:00");
  const iso = new Date(`${start}${rest}`).toISOString().slice(0, 19);
  return kind === "time" ? `${iso}Z` : `${iso}${fraction}Z`;
}

const zeroOf = (node: TypeNode): unknown => {
  if (node.kind === "struct" || node.kind === "map") return {};
  if (node.kind === "list") return [];
  if (node.kind === "boolean") return false;
  return node.kind === "int32" || node.kind === "int64" || node.kind === "float" ? 0 : "";
};

function pathOf({ parent, key }: Place): string {
  const before = parent ? pathOf(parent) : "";
  if (typeof key === "number") return `${before}[${key}]`;
  return before === "" ? key : `${before}.${key}`;
}

/** Go names the struct that holds the field, then only the fields on the way to it. */
function goPathOf(at: Place | undefined): string {
  const fields: string[] = [];
  let struct = "";
  for (let place = at; place; place = place.parent) {
    if (place.struct === "") continue;
    if (struct === "") struct = place.struct;
    fields.unshift(String(place.key));
  }
  return `${struct}.${fields.join(".")}`;
}

function convertingText(node: TypeNode, found: string): string {
  const goKind = { array: "slice", object: "map", number: "int64" }[found] ?? found;
  if (node.kind === "list") return `cannot restore slice from ${goKind}`;
  if (node.kind === "map") return `cannot restore map from ${goKind}`;
  if (node.kind === "struct") return `cannot restore struct from: ${goKind}`;
  return `unrecognized type: ${goTypeOf(node)}`;
}

function mismatch(node: TypeNode, value: unknown, at: Place | undefined): TypeMismatch {
  const found = Array.isArray(value)
    ? "array"
    : isTree(value)
      ? "object"
      : typeof value === "boolean"
        ? "bool"
        : typeof value;
  const shown = found === "number" && !Number.isInteger(value) ? `number ${String(value)}` : found;
  return new TypeMismatch(
    `json: cannot unmarshal ${shown} into Go struct field ${goPathOf(at)} of type ${goTypeOf(node)}`,
    convertingText(node, found),
  );
}
