/** A group, version and kind as OpenAPI's `x-kubernetes-group-version-kind` writes it. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The part of an OpenAPI v3 schema that the API server itself acts on. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly items?: OpenApiSchema;
  readonly allOf?: readonly OpenApiSchema[];
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
}

/** `components.schemas` of an OpenAPI v3 document, keyed by names such as `io.k8s.api.core.v1.Pod`. */
export type OpenApiComponents = Readonly<Record<string, OpenApiSchema>>;

const refPrefix = "#/components/schemas/";

/** Follows references (also the `allOf` of one that built-in fields use) to the schema with the members. */
export function resolveSchema(components: OpenApiComponents, schema: OpenApiSchema): OpenApiSchema {
  let current = schema;
  for (let depth = 0; depth < 8; depth++) {
    const inner = current.allOf?.length === 1 ? current.allOf[0] : undefined;
    const ref = current.$ref ?? inner?.$ref;
    if (ref === undefined) return inner ?? current;
    const name = ref.slice(refPrefix.length);
    const target = Object.hasOwn(components, name) ? components[name] : undefined;
    if (target === undefined) return current;
    current = target;
  }
  return current;
}

const indexes = new WeakMap<OpenApiComponents, Map<string, OpenApiSchema>>();
const gvkKey = ({ group, version, kind }: GroupVersionKind) => `${group}/${version}/${kind}`;

/** The component that describes a kind. The index over the components is made once and dropped with them. */
export function componentFor(components: OpenApiComponents, gvk: GroupVersionKind): OpenApiSchema | undefined {
  let index = indexes.get(components);
  if (index === undefined) {
    index = new Map();
    for (const schema of Object.values(components)) {
      const kinds = schema["x-kubernetes-group-version-kind"] ?? [];
      // Types such as DeleteOptions list every group; they are not objects that a request stores.
      for (const kind of kinds) if (!index.has(gvkKey(kind))) index.set(gvkKey(kind), schema);
    }
    indexes.set(components, index);
  }
  return index.get(gvkKey(gvk));
}
