import { jsonEquals } from "@jibe/base";
import { type FieldError, forbidden, invalid, required } from "./field-error.ts";
import { regExpFromGo } from "./go-regexp.ts";
import type { StructuralSchema } from "./structural-schema.ts";

const intOrString = [{ type: "integer" }, { type: "string" }];

const forbiddenMembers: Readonly<Record<string, string>> = {
  type: "must be empty to be structural",
  additionalProperties: "must be undefined to be structural",
  default: "must be undefined to be structural",
  title: "must be empty to be structural",
  description: "must be empty to be structural",
  nullable: "must be false to be structural",
  "x-kubernetes-preserve-unknown-fields": "must be false to be structural",
  "x-kubernetes-embedded-resource": "must be false to be structural",
  "x-kubernetes-int-or-string": "must be false to be structural",
  "x-kubernetes-list-map-keys": "must be empty to be structural",
  "x-kubernetes-list-type": "must be undefined to be structural",
  "x-kubernetes-map-type": "must be undefined to be structural",
  "x-kubernetes-validations": "must be empty to be structural",
};

/** The schemas under `anyOf`, `allOf`, `oneOf` and `not`, each with its path. */
function junctors(schema: StructuralSchema, path: string): [StructuralSchema, string][] {
  const lists = (["anyOf", "allOf", "oneOf"] as const).flatMap((name) =>
    (schema[name] ?? []).map((child, index): [StructuralSchema, string] => [child, `${path}.${name}[${index}]`]),
  );
  return schema.not ? [...lists, [schema.not, `${path}.not`]] : lists;
}

/** What a schema's value validations (its logical junctors and pattern) must not say. */
export function nestedProblems(schema: StructuralSchema, path: string): FieldError[] {
  const anyOfIsIdiom = jsonEquals(schema.anyOf, intOrString);
  const first = schema.allOf?.[0];
  const problems = junctors(schema, path).flatMap(([child, at]) => {
    if (anyOfIsIdiom && at.startsWith(`${path}.anyOf[`)) return [];
    const idiomInside = child === first && jsonEquals(child.anyOf, intOrString);
    return problemsUnder(idiomInside ? { ...child, anyOf: [] } : child, at);
  });
  return [...problems, ...patternProblems(schema, path)];
}

function problemsUnder(schema: StructuralSchema, path: string): FieldError[] {
  const problems = nestedProblems(schema, path);
  if (schema.items) problems.push(...problemsUnder(schema.items, `${path}.items`));
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    problems.push(...problemsUnder(child, `${path}.properties[${name}]`));
    if (name === "metadata") {
      problems.push(forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context"));
    }
  }
  for (const [name, value] of Object.entries(schema)) {
    const detail = Object.hasOwn(forbiddenMembers, name) ? forbiddenMembers[name] : undefined;
    const isSet = name === "additionalProperties" ? value !== undefined : isMeaningful(value);
    if (detail !== undefined && isSet) problems.push(forbidden(`${path}.${name}`, detail));
  }
  return problems;
}

const isMeaningful = (value: unknown) =>
  value !== undefined && value !== "" && value !== false && !(Array.isArray(value) && value.length === 0);

function patternProblems({ pattern }: StructuralSchema, path: string): FieldError[] {
  if (pattern === undefined || pattern === "") return [];
  try {
    regExpFromGo(pattern);
    return [];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const detail = `must be a valid regular expression, but isn't: ${why}`;
    return [invalid(`${path}.pattern`, pattern, detail)];
  }
}

/** A schema outside of the junctors, or its absence, with its path. */
export interface Counterpart {
  readonly schema: StructuralSchema | undefined;
  readonly path: string;
}

/** Every property or item that a junctor speaks of must also be specified outside of it. */
export function missingCounterparts(value: StructuralSchema, valuePath: string, outside: Counterpart): FieldError[] {
  return junctors(value, valuePath).flatMap(([child, at]) => counterpartsOf(child, at, outside));
}

function counterpartsOf(value: StructuralSchema, valuePath: string, outside: Counterpart): FieldError[] {
  const { schema, path } = outside;
  if (!schema) return [required(path, `because it is defined in ${valuePath}`)];
  const problems = missingCounterparts(value, valuePath, outside);
  if (value.items) {
    problems.push(
      ...counterpartsOf(value.items, `${valuePath}.items`, { schema: schema.items, path: `${path}.items` }),
    );
  }
  const known = schema.properties ?? {};
  for (const [name, child] of Object.entries(value.properties ?? {})) {
    const at = `.properties[${name}]`;
    const found = Object.hasOwn(known, name) ? known[name] : undefined;
    problems.push(...counterpartsOf(child, valuePath + at, { schema: found, path: path + at }));
  }
  return problems;
}
