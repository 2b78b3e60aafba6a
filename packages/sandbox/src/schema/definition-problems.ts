import { type FieldError, forbidden, invalid, notSupported, required } from "./field-error.ts";
import { listTypeProblems } from "./list-type-problems.ts";
import type { StructuralSchema } from "./structural-schema.ts";

const types = ["array", "boolean", "integer", "number", "object", "string"];
const unsupportedMembers = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];
const metaFields = ["apiVersion", "kind", "metadata"];

interface Place {
  readonly isRoot: boolean;
  /** Why a default is not allowed here. */
  readonly noDefaults: string | undefined;
  readonly insideMeta: boolean;
}

/** What the API server refuses in a definition's schema beyond its not being structural. */
export function definitionProblems(schema: StructuralSchema, path: string): FieldError[] {
  const nullable = schema.nullable ? [forbidden(`${path}.nullable`, "nullable cannot be true at the root")] : [];
  return [...nullable, ...problemsAt(schema, path, { isRoot: true, noDefaults: undefined, insideMeta: false })];
}

function problemsAt(schema: StructuralSchema, path: string, place: Place): FieldError[] {
  return [
    ...memberProblems(schema, path, place),
    ...childProblems(schema, path, place),
    ...extensionProblems(schema, path),
    ...listTypeProblems(schema, path),
  ];
}

function memberProblems(schema: StructuralSchema, path: string, place: Place): FieldError[] {
  const { type = "" } = schema;
  const problems: FieldError[] = [];
  if (type !== "" && !types.includes(type)) problems.push(notSupported(`${path}.type`, type, types));
  if (schema.default !== undefined && place.noDefaults !== undefined) {
    problems.push(forbidden(`${path}.default`, `must not be set ${place.noDefaults}`));
  }
  for (const name of unsupportedMembers) {
    if (Object.hasOwn(schema, name)) problems.push(forbidden(`${path}.${name}`, `${name} is not supported`));
  }
  if (type === "null") {
    problems.push(forbidden(`${path}.type`, "type cannot be set to null, use nullable as an alternative"));
  }
  if (place.insideMeta && schema["x-kubernetes-embedded-resource"]) {
    problems.push(forbidden(`${path}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"));
  }
  if (schema.uniqueItems) {
    const detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    problems.push(forbidden(`${path}.uniqueItems`, detail));
  }
  const { additionalProperties, properties = {} } = schema;
  const restricts = additionalProperties !== undefined && additionalProperties !== true;
  if (restricts && Object.keys(properties).length > 0) {
    const detail = "additionalProperties and properties are mutual exclusive";
    problems.push(forbidden(`${path}.additionalProperties`, detail));
  }
  return problems;
}

function childProblems(schema: StructuralSchema, path: string, place: Place): FieldError[] {
  const inside = { ...place, isRoot: false };
  const problems: FieldError[] = [];
  if (typeof schema.additionalProperties === "object") {
    const reason = "inside additionalProperties applying to object metadata";
    const below = place.insideMeta ? { ...inside, noDefaults: reason } : inside;
    problems.push(...problemsAt(schema.additionalProperties, `${path}.additionalProperties`, below));
  }
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const isMeta = (place.isRoot || schema["x-kubernetes-embedded-resource"] === true) && metaFields.includes(name);
    const noDefaults = isMeta && place.isRoot ? `in top-level ${name}` : place.noDefaults;
    const below = { isRoot: false, noDefaults, insideMeta: place.insideMeta || isMeta };
    problems.push(...problemsAt(child, `${path}.properties[${name}]`, below));
  }
  if (schema.not) problems.push(...problemsAt(schema.not, `${path}.not`, inside));
  for (const name of ["allOf", "oneOf", "anyOf"] as const) {
    for (const [index, child] of (schema[name] ?? []).entries()) {
      problems.push(...problemsAt(child, `${path}.${name}[${index}]`, inside));
    }
  }
  if (Array.isArray(schema.items)) {
    problems.push(forbidden(`${path}.items`, "items must be a schema object and not an array"));
  } else if (schema.items) {
    problems.push(...problemsAt(schema.items, `${path}.items`, inside));
  }
  return problems;
}

function extensionProblems(schema: StructuralSchema, path: string): FieldError[] {
  const problems: FieldError[] = [];
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    problems.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  }
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType !== undefined && schema.type !== "object") {
    const detail = "must be object if x-kubernetes-map-type is specified";
    const at = `${path}.type`;
    problems.push(schema.type ? invalid(at, schema.type, detail) : required(at, detail));
  }
  if (mapType !== undefined && mapType !== "atomic" && mapType !== "granular") {
    problems.push(notSupported(`${path}.x-kubernetes-map-type`, mapType, ["atomic", "granular"]));
  }
  for (const [index, { rule = "" }] of (schema["x-kubernetes-validations"] ?? []).entries()) {
    const at = `${path}.x-kubernetes-validations[${index}].rule`;
    if (rule.trim() === "") problems.push(required(at, "rule is not specified"));
  }
  return problems;
}
