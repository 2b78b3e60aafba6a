import { defaultProblems } from "./default-problems.ts";
import { definitionProblems } from "./definition-problems.ts";
import type { FieldError } from "./field-error.ts";
import { isJsonObject } from "./json-object.ts";
import { structuralProblems } from "./structural-problems.ts";

/** A custom resource's `openAPIV3Schema`, or a part of one. */
export interface StructuralSchema {
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema | boolean;
  readonly items?: StructuralSchema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly uniqueItems?: boolean;
  readonly allOf?: readonly StructuralSchema[];
  readonly anyOf?: readonly StructuralSchema[];
  readonly oneOf?: readonly StructuralSchema[];
  readonly not?: StructuralSchema;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-validations"?: readonly { readonly rule?: string; readonly message?: string }[];
}

export interface CompiledSchema {
  readonly schema: StructuralSchema;
  /** What the API server would refuse the definition for. The schema must not be used unless this is empty. */
  readonly problems: readonly FieldError[];
  /** The paths of CEL rules; they are stored and shown but not enforced. */
  readonly unenforcedRules: readonly string[];
}

/**
 * Checks a version's `openAPIV3Schema`. The API server names the place `spec.validation.openAPIV3Schema` when all
 * versions share one schema, and `spec.versions[i].schema.openAPIV3Schema` when they differ.
 */
export function compileSchema(openApiSchema: unknown, path = "spec.validation.openAPIV3Schema"): CompiledSchema {
  const schema: StructuralSchema = isJsonObject(openApiSchema) ? openApiSchema : {};
  const structural = structuralProblems(schema, path);
  return {
    schema,
    problems: [
      ...(structural.length > 0 ? structural : defaultProblems(schema, path)),
      ...definitionProblems(schema, path),
    ],
    unenforcedRules: rulePaths(schema, path),
  };
}

function rulePaths(schema: StructuralSchema, path: string): string[] {
  const own = (schema["x-kubernetes-validations"] ?? []).map(
    (_rule, index) => `${path}.x-kubernetes-validations[${index}].rule`,
  );
  const { properties = {}, additionalProperties, items } = schema;
  const inner = Object.entries(properties).flatMap(([name, child]) => rulePaths(child, `${path}.properties[${name}]`));
  if (items) inner.push(...rulePaths(items, `${path}.items`));
  if (typeof additionalProperties === "object") {
    inner.push(...rulePaths(additionalProperties, `${path}.additionalProperties`));
  }
  return [...own, ...inner];
}

export { applyDefaults } from "./defaults.ts";
export { prune, unknownFields, unknownFieldTexts } from "./unknown-fields.ts";
export { validate, validateAt } from "./validate.ts";
