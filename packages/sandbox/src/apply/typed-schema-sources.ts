import { objectMetaSchema } from "../schema/object-meta-schema.ts";
import {
  componentFor,
  type GroupVersionKind,
  type OpenApiComponents,
  type OpenApiSchema,
  resolveSchema,
} from "../schema/open-api.ts";
import type { StructuralSchema } from "../schema/structural-schema.ts";
import {
  anyScalar,
  deduced,
  type ListSchema,
  type MapSchema,
  type ScalarSchema,
  type TypedSchema,
} from "./typed-schema.ts";

/** The typed view of a built-in kind; undefined when the components do not describe it. */
export function typedSchemaFor(components: OpenApiComponents, gvk: GroupVersionKind): TypedSchema | undefined {
  const schema = componentFor(components, gvk);
  return schema && fromOpenApi(components, schema);
}

/** The typed view of a custom resource. Without a schema only its metadata is typed. */
export function typedSchemaForCustom(schema: StructuralSchema | undefined): TypedSchema {
  const text: StructuralSchema = { type: "string" };
  const properties = { ...schema?.properties, apiVersion: text, kind: text, metadata: objectMetaSchema };
  const open = schema === undefined || schema["x-kubernetes-preserve-unknown-fields"] === true;
  return fromStructural({
    ...schema,
    type: "object",
    properties,
    "x-kubernetes-preserve-unknown-fields": open,
  });
}

interface ListSource {
  readonly listType: string | undefined;
  readonly keys: readonly string[];
  readonly item: () => TypedSchema;
  readonly keyDefault: (key: string) => unknown;
}

function listSchema({ listType, keys, item, keyDefault }: ListSource): ListSchema {
  const relationship = listType === "set" || listType === "map" ? listType : "atomic";
  return { kind: "list", relationship, keys: relationship === "map" ? keys : [], item, keyDefault };
}

function scalarOf(type: string): ScalarSchema {
  if (type === "integer" || type === "number") return { kind: "scalar", type: "number" };
  return type === "string" || type === "boolean" ? { kind: "scalar", type } : anyScalar;
}

const own = <T>(members: Readonly<Record<string, T>>, name: string) =>
  Object.hasOwn(members, name) ? members[name] : undefined;

/** Views are made once per schema and dropped with it; each is asked for with every write. */
const openApiViews = new WeakMap<OpenApiSchema, TypedSchema>();
const structuralViews = new WeakMap<StructuralSchema, TypedSchema>();

function remembered<T extends object>(views: WeakMap<T, TypedSchema>, schema: T, make: () => TypedSchema): TypedSchema {
  const known = views.get(schema);
  if (known) return known;
  const view = make();
  views.set(schema, view);
  return view;
}

const fromOpenApi = (components: OpenApiComponents, schema: OpenApiSchema): TypedSchema =>
  remembered(openApiViews, schema, () => openApiView(components, schema));

const fromStructural = (schema: StructuralSchema): TypedSchema =>
  remembered(structuralViews, schema, () => structuralView(schema));

function openApiView(components: OpenApiComponents, schema: OpenApiSchema): TypedSchema {
  const target = resolveSchema(components, schema);
  const { type, properties = {}, additionalProperties, items, format } = target;
  if (type === "array" || items) {
    const { listType, keys } = openApiListType(schema);
    const item = items ?? {};
    return listSchema({
      listType,
      keys,
      item: () => fromOpenApi(components, item),
      keyDefault: (key) => own(resolveSchema(components, item).properties ?? {}, key)?.default,
    });
  }
  if (type !== undefined && type !== "object") return format === "int-or-string" ? anyScalar : scalarOf(type);
  const isQuantityLike = (target as { readonly oneOf?: unknown }).oneOf !== undefined;
  if (isQuantityLike) return anyScalar;
  const hasMembers = Object.keys(properties).length > 0 || additionalProperties !== undefined;
  if (type === undefined && !hasMembers) return deduced;
  // An object that says nothing of its members is opaque, and owned as a whole.
  const mapType = hasMembers ? (schema["x-kubernetes-map-type"] ?? target["x-kubernetes-map-type"]) : "atomic";
  return mapSchema(mapType, {
    field: (name) => {
      const found = own(properties, name);
      return found && fromOpenApi(components, found);
    },
    element: () => {
      if (typeof additionalProperties === "object") return fromOpenApi(components, additionalProperties);
      return hasMembers && additionalProperties !== true ? undefined : deduced;
    },
  });
}

/** Older types tell by their patch strategy what newer ones tell by their list type. */
function openApiListType(schema: OpenApiSchema): { listType: string | undefined; keys: readonly string[] } {
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (listType !== undefined) return { listType, keys };
  const merges = schema["x-kubernetes-patch-strategy"]?.split(",").includes("merge") ?? false;
  const mergeKey = schema["x-kubernetes-patch-merge-key"];
  if (!merges) return { listType: "atomic", keys };
  return mergeKey === undefined ? { listType: "set", keys } : { listType: "map", keys: [mergeKey] };
}

function structuralView(schema: StructuralSchema): TypedSchema {
  const { type, properties = {}, additionalProperties, items } = schema;
  if (schema["x-kubernetes-int-or-string"]) return anyScalar;
  if (type === "array") {
    const item = items ?? {};
    return listSchema({
      listType: schema["x-kubernetes-list-type"],
      keys: schema["x-kubernetes-list-map-keys"] ?? [],
      item: () => fromStructural(item),
      keyDefault: (key) => own(item.properties ?? {}, key)?.default,
    });
  }
  if (type !== undefined && type !== "" && type !== "object") return scalarOf(type);
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (type !== "object" && Object.keys(properties).length === 0) return deduced;
  const known = schema["x-kubernetes-embedded-resource"] ? embedded(properties) : properties;
  return mapSchema(schema["x-kubernetes-map-type"], {
    field: (name) => {
      const found = own(known, name);
      return found && fromStructural(found);
    },
    element: () => {
      if (typeof additionalProperties === "object") return fromStructural(additionalProperties);
      return isOpen || additionalProperties === true ? deduced : undefined;
    },
  });
}

const embedded = (properties: Readonly<Record<string, StructuralSchema>>) => ({
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: objectMetaSchema,
  ...properties,
});

function mapSchema(mapType: string | undefined, members: Pick<MapSchema, "field" | "element">): MapSchema {
  return { kind: "map", relationship: mapType === "atomic" ? "atomic" : "granular", ...members };
}
