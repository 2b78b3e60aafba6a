import { isJsonObject, type JsonObject } from "./json-object.ts";
import { objectMetaSchema } from "./object-meta-schema.ts";
import {
  componentFor,
  type GroupVersionKind,
  type OpenApiComponents,
  type OpenApiSchema,
  resolveSchema,
} from "./open-api.ts";
import type { StructuralSchema } from "./structural-schema.ts";

const metaFields = ["apiVersion", "kind", "metadata"];

/** Drops what a custom resource's schema does not know, in place, and returns the paths that went. */
export function prune(schema: StructuralSchema | undefined, object: JsonObject): string[] {
  const walk = structuralWalk((holder, key) => delete holder[key]);
  walk.visit(object, { ...schema, "x-kubernetes-embedded-resource": true }, "");
  return walk.paths.sort();
}

/** The same for a value inside a custom resource. */
export function pruneValue(schema: StructuralSchema, value: unknown): string[] {
  const walk = structuralWalk((holder, key) => delete holder[key]);
  walk.visit(value, schema, "");
  return walk.paths;
}

/** The paths of a custom resource that its schema does not know, sorted. */
export function unknownFields(schema: StructuralSchema | undefined, object: JsonObject): string[] {
  const walk = structuralWalk(() => {});
  walk.visit(object, { ...schema, "x-kubernetes-embedded-resource": true }, "");
  return walk.paths.sort();
}

/** Drops what a built-in kind does not have, in place, and returns the paths that went in document order. */
export function pruneBuiltIn(components: OpenApiComponents, gvk: GroupVersionKind, object: JsonObject): string[] {
  return walkBuiltIn({ components, gvk, object }, (holder, key) => delete holder[key]);
}

/** The paths of an object that its built-in kind does not have, in document order. */
export function unknownBuiltInFields(
  components: OpenApiComponents,
  gvk: GroupVersionKind,
  object: JsonObject,
): string[] {
  return walkBuiltIn({ components, gvk, object }, () => {});
}

/** The texts of strict field validation, for warnings one by one: `unknown field "spec.x"`. */
export const unknownFieldTexts = (paths: readonly string[]) => paths.map((path) => `unknown field "${path}"`);

/** The one text of strict field validation, for refusing a request. */
export const strictDecodingText = (texts: readonly string[]) => `strict decoding error: ${texts.join(", ")}`;

type OnUnknown = (holder: JsonObject, key: string) => void;
interface Holder {
  readonly schema: StructuralSchema | undefined;
  readonly path: string;
}

type Visit = (value: unknown, schema: StructuralSchema | undefined, path: string) => void;

const join = (path: string, key: string) => (path === "" ? key : `${path}.${key}`);

function structuralWalk(onUnknown: OnUnknown): { readonly visit: Visit; readonly paths: string[] } {
  const paths: string[] = [];
  const visit: Visit = (value, schema, path) => {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, itemSchema(schema), `${path}[${index}]`);
    } else if (isJsonObject(value)) {
      for (const key of Object.keys(value)) visitMember(value, key, { schema, path });
    }
  };
  const visitMember = (holder: JsonObject, key: string, { schema, path }: Holder) => {
    const at = join(path, key);
    if (schema?.["x-kubernetes-embedded-resource"] && metaFields.includes(key)) {
      if (key === "metadata") visit(holder[key], objectMetaSchema, at);
      return;
    }
    const child = memberSchema(schema, key);
    if (child === "unknown") {
      paths.push(at);
      onUnknown(holder, key);
    } else if (child !== "open") {
      visit(holder[key], child, at);
    }
  };
  return { visit, paths };
}

function itemSchema(schema: StructuralSchema | undefined): StructuralSchema | undefined {
  const items = schema?.items;
  if (!schema?.["x-kubernetes-preserve-unknown-fields"]) return items;
  return { ...items, "x-kubernetes-preserve-unknown-fields": true };
}

function memberSchema(schema: StructuralSchema | undefined, key: string): StructuralSchema | "open" | "unknown" {
  const { properties = {}, additionalProperties } = schema ?? {};
  const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (property) return property;
  if (typeof additionalProperties === "object") return additionalProperties;
  // A map of values without a schema is known, and so is each of its keys; what they hold is not.
  if (additionalProperties === true) return {};
  return schema?.["x-kubernetes-preserve-unknown-fields"] ? "open" : "unknown";
}

interface BuiltIn {
  readonly components: OpenApiComponents;
  readonly gvk: GroupVersionKind;
  readonly object: JsonObject;
}

function walkBuiltIn({ components, gvk, object }: BuiltIn, onUnknown: OnUnknown): string[] {
  const paths: string[] = [];
  const visit = (value: unknown, schema: OpenApiSchema, path: string): void => {
    const target = resolveSchema(components, schema);
    if (Array.isArray(value)) {
      const { items } = target;
      if (items) for (const [index, item] of value.entries()) visit(item, items, `${path}[${index}]`);
      return;
    }
    if (!isJsonObject(value)) return;
    const { properties, additionalProperties } = target;
    // Raw extensions and the like have neither: anything goes.
    if (!properties && additionalProperties === undefined) return;
    for (const key of Object.keys(value)) {
      const known = properties && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
      if (typeof known === "object") visit(value[key], known, join(path, key));
      else if (known !== true) {
        paths.push(join(path, key));
        onUnknown(value, key);
      }
    }
  };
  const root = componentFor(components, gvk);
  if (root) visit(object, root, "");
  return paths;
}
