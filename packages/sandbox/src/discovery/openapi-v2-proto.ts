import { isTree, type Tree } from "../api/kube-object.ts";

/** The media type of OpenAPI v2 for Go clients, who ask for it with an `@` that no header value may have. */
export const openApiV2Proto = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
};
const message = (field: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([varint(field * 8 + 2), varint(content.length), content]);
};
const text = (field: number, value: unknown): Buffer =>
  typeof value === "string" && value !== "" ? message(field, Buffer.from(value)) : Buffer.alloc(0);
const flag = (field: number, value: unknown): Buffer =>
  value === true ? Buffer.concat([varint(field * 8), Buffer.of(1)]) : Buffer.alloc(0);

/** A value of any kind travels as YAML, of which JSON is a part. */
const any = (field: number, value: unknown): Buffer => message(field, text(2, `${JSON.stringify(value)}\n`));

const named = (field: number, name: string, value: Buffer): Buffer => message(field, text(1, name), value);

/** The numbers of the fields of a schema that clients look at. */
const number = {
  ref: 1,
  format: 2,
  default: 5,
  required: 19,
  enum: 20,
  additionalProperties: 21,
  type: 22,
  items: 23,
  properties: 25,
  extensions: 31,
} as const;

/** Encodes a document of OpenAPI v2: its definitions, which is what clients validate and merge by. */
export function encodeOpenApiV2(document: Tree): Buffer {
  const definitions = Object.entries((document["definitions"] ?? {}) as Record<string, Tree>);
  const info = isTree(document["info"]) ? document["info"] : {};
  return Buffer.concat([
    text(1, document["swagger"]),
    message(2, text(1, info["title"]), text(2, info["version"])),
    message(8),
    message(9, ...definitions.map(([name, schema]) => named(1, name, message(2, encodeSchema(schema))))),
  ]);
}

function encodeSchema(schema: Tree): Buffer {
  const parts = [text(number.ref, schema["$ref"]), text(number.format, schema["format"])];
  if (schema["default"] !== undefined) parts.push(any(number.default, schema["default"]));
  for (const name of (schema["required"] ?? []) as string[]) parts.push(text(number.required, name));
  for (const value of (schema["enum"] ?? []) as unknown[]) parts.push(any(number.enum, value));
  const { additionalProperties, items, properties, type } = schema;
  if (isTree(additionalProperties))
    parts.push(message(number.additionalProperties, message(1, encodeSchema(additionalProperties))));
  else if (additionalProperties === true) parts.push(message(number.additionalProperties, flag(2, true)));
  if (typeof type === "string") parts.push(message(number.type, text(1, type)));
  if (isTree(items)) parts.push(message(number.items, message(1, encodeSchema(items))));
  if (isTree(properties)) parts.push(message(number.properties, ...encodeProperties(properties)));
  for (const [key, value] of Object.entries(schema)) {
    if (key.startsWith("x-")) parts.push(named(number.extensions, key, any(2, value)));
  }
  return Buffer.concat(parts);
}

function encodeProperties(properties: Tree): Buffer[] {
  return Object.entries(properties).map(([name, schema]) =>
    named(1, name, message(2, encodeSchema(isTree(schema) ? schema : {}))),
  );
}
