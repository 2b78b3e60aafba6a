import { type FieldError, forbidden, invalid, required } from "./field-error.ts";
import { missingCounterparts, nestedProblems } from "./nested-problems.ts";
import type { StructuralSchema } from "./structural-schema.ts";

export type SchemaLevel = "root" | "item" | "field";

const byText = (a: FieldError, b: FieldError) => {
  const [left, right] = [`${a.field}: ${a.message}`, `${b.field}: ${b.message}`];
  return left < right ? -1 : left > right ? 1 : 0;
};

/** What keeps a schema from being structural, sorted by text as the API server sorts it. */
export function structuralProblems(schema: StructuralSchema, path: string): FieldError[] {
  return [...problemsOf(schema, "root", path), ...missingCounterparts(schema, path, { schema, path })].sort(byText);
}

function problemsOf(schema: StructuralSchema, level: SchemaLevel, path: string): FieldError[] {
  const { type = "", items, properties = {}, additionalProperties } = schema;
  const problems: FieldError[] = [];
  if (type === "array" && !items) problems.push(required(`${path}.items`, "must be specified"));
  if (items) problems.push(...problemsOf(items, "item", `${path}.items`));
  for (const [name, child] of Object.entries(properties)) {
    problems.push(...problemsOf(child, "field", `${path}.properties[${name}]`));
  }
  if (additionalProperties !== undefined && level === "root") {
    problems.push(forbidden(`${path}.additionalProperties`, "must not be used at the root"));
  }
  if (typeof additionalProperties === "object") {
    problems.push(...problemsOf(additionalProperties, "field", `${path}.additionalProperties`));
  }
  return [
    ...problems,
    ...extensionProblems(schema, path),
    ...nestedProblems(schema, path),
    ...typeProblems(schema, level, path),
    ...resourceProblems(schema, level, path),
  ];
}

function extensionProblems(schema: StructuralSchema, path: string): FieldError[] {
  if (!schema["x-kubernetes-int-or-string"]) return [];
  const names = ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const;
  return names
    .filter((name) => schema[name])
    .map((name) => invalid(`${path}.${name}`, true, "must be false if x-kubernetes-int-or-string is true"));
}

const emptyType: Record<SchemaLevel, string> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function typeProblems(schema: StructuralSchema, level: SchemaLevel, path: string): FieldError[] {
  const type = schema.type ?? "";
  const at = `${path}.type`;
  const problems: FieldError[] = [];
  if (schema["x-kubernetes-embedded-resource"] && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    problems.push(type === "" ? required(at, detail) : invalid(at, type, detail));
  } else if (type === "" && !schema["x-kubernetes-int-or-string"] && !schema["x-kubernetes-preserve-unknown-fields"]) {
    problems.push(required(at, emptyType[level]));
  }
  if (level === "root" && type !== "" && type !== "object") {
    problems.push(invalid(at, type, "must be object at the root"));
  }
  return problems;
}

function resourceProblems(schema: StructuralSchema, level: SchemaLevel, path: string): FieldError[] {
  const { properties = {}, additionalProperties } = schema;
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  const problems: FieldError[] = [];
  if (embedded && additionalProperties !== undefined) {
    const detail = "must not be used if x-kubernetes-embedded-resource is set";
    problems.push(forbidden(`${path}.additionalProperties`, detail));
  }
  if (level === "root" || embedded) {
    for (const [name, type] of Object.entries({ kind: "string", apiVersion: "string", metadata: "object" })) {
      const found = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const at = `${path}.properties[${name}].type`;
      if (found && found.type !== type) problems.push(invalid(at, found.type ?? "", `must be ${type}`));
    }
  }
  const metadata = Object.hasOwn(properties, "metadata") ? properties["metadata"] : undefined;
  if (level === "root" && metadata && !restrictsNamesOnly(metadata)) {
    const detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    problems.push(forbidden(`${path}.properties[metadata]`, detail));
  }
  if (embedded && !schema["x-kubernetes-preserve-unknown-fields"] && Object.keys(properties).length === 0) {
    const detail =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    problems.push(required(`${path}.properties`, detail));
  }
  return problems;
}

function restrictsNamesOnly(metadata: StructuralSchema): boolean {
  const members = Object.keys(metadata).filter((key) => !["type", "default", "properties"].includes(key));
  const names = Object.keys(metadata.properties ?? {});
  return members.length === 0 && names.every((name) => name === "name" || name === "generateName");
}
