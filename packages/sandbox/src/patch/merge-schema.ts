import {
  componentFor,
  type GroupVersionKind,
  type OpenApiComponents,
  type OpenApiSchema,
  resolveSchema,
} from "../schema/open-api.ts";

/** How strategic merge treats one field, and where its members are found. */
export interface MergeSchema {
  /** The field's own strategies: `merge`, `replace`, `retainKeys`. */
  readonly patchStrategy: readonly string[];
  /** The member that identifies an element of a merged list of objects. */
  readonly mergeKey: string | undefined;
  /** The word that messages use for the type. */
  readonly typeName: string;
  field(name: string): MergeSchema | undefined;
  items(): MergeSchema | undefined;
}

/** The strategic merge view of a built-in kind; undefined when the components do not describe it. */
export function mergeSchemaFor(components: OpenApiComponents, gvk: GroupVersionKind): MergeSchema | undefined {
  const schema = componentFor(components, gvk);
  return schema && mergeSchemaOf(components, schema);
}

function mergeSchemaOf(components: OpenApiComponents, schema: OpenApiSchema): MergeSchema {
  const target = resolveSchema(components, schema);
  const childOf = (child: OpenApiSchema | undefined) => child && mergeSchemaOf(components, child);
  return {
    patchStrategy: schema["x-kubernetes-patch-strategy"]?.split(",") ?? [],
    mergeKey: schema["x-kubernetes-patch-merge-key"],
    typeName: target.type ?? "Struct",
    field: (name) => {
      const { properties = {}, additionalProperties } = target;
      if (Object.hasOwn(properties, name)) return childOf(properties[name]);
      return typeof additionalProperties === "object" ? childOf(additionalProperties) : undefined;
    },
    items: () => childOf(target.items),
  };
}
