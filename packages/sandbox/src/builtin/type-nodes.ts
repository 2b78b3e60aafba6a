import { isTree, type Tree } from "../api/kube-object.ts";
import type { Definitions } from "../registry/definitions.ts";

/** One field of a struct. */
export interface FieldNode {
  readonly node: TypeNode;
  /** Written when absent: a value or, for a struct held by value, an empty struct. */
  readonly default: unknown;
  readonly dropZero: boolean;
  readonly dropEmpty: boolean;
  readonly nullable: boolean;
}

/** A built-in type's shape, ready to be walked. Structs are filled when first used, since schemas refer to themselves. */
export type TypeNode =
  | { readonly kind: "struct"; readonly goName: string; readonly fields: ReadonlyMap<string, FieldNode> }
  | { readonly kind: "list"; readonly items: TypeNode; readonly goType: string }
  | { readonly kind: "map"; readonly values: TypeNode; readonly goType: string }
  | { readonly kind: "string" | "boolean" | "int32" | "int64" | "float" | "bytes"; readonly goType: string }
  | { readonly kind: "time" | "microTime" | "quantity" | "intOrString" | "any"; readonly goType: string };

const special: Readonly<Record<string, TypeNode>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { kind: "quantity", goType: "resource.Quantity" },
  "io.k8s.apimachinery.pkg.apis.meta.v1.Time": { kind: "time", goType: "v1.Time" },
  "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": { kind: "microTime", goType: "v1.MicroTime" },
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": { kind: "intOrString", goType: "intstr.IntOrString" },
};

/** Makes nodes from OpenAPI schemas, each once. */
export class TypeNodes {
  readonly #definitions: Definitions;
  readonly #structs = new Map<string, TypeNode>();

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  /** The node of a definition by its full name. */
  named(name: string): TypeNode {
    const known = special[name] ?? this.#structs.get(name);
    if (known) return known;
    const schema = this.#definitions.schemas[name] ?? {};
    if (!isTree(schema["properties"])) return this.#fromSchema(schema, name);
    const node = { kind: "struct" as const, goName: lastPart(name), fields: this.#lazyFields(name, schema) };
    this.#structs.set(name, node);
    return node;
  }

  #lazyFields(name: string, schema: Tree): ReadonlyMap<string, FieldNode> {
    const fields = new Map<string, FieldNode>();
    // Registered before the fields are made, so that a type that contains itself finds its own node.
    this.#structs.set(name, { kind: "struct", goName: lastPart(name), fields });
    const tags = this.#definitions.tagsOf(name);
    for (const [field, property] of Object.entries(schema["properties"] as Record<string, Tree>)) {
      fields.set(field, {
        node: this.#fromSchema(property, ""),
        default: property["default"],
        dropZero: tags.dropZero?.includes(field) ?? false,
        dropEmpty: tags.dropEmpty?.includes(field) ?? false,
        nullable: tags.nullable?.includes(field) ?? false,
      });
    }
    return fields;
  }

  #fromSchema(schema: Tree, name: string): TypeNode {
    const reference = referenceIn(schema);
    if (reference !== undefined) return this.named(reference);
    switch (schema["type"]) {
      case "array": {
        const items = this.#fromSchema((schema["items"] ?? {}) as Tree, "");
        return { kind: "list", items, goType: `[]${goTypeOf(items)}` };
      }
      case "object": {
        if (!isTree(schema["additionalProperties"])) return { kind: "any", goType: lastPart(name) };
        const values = this.#fromSchema(schema["additionalProperties"], "");
        return { kind: "map", values, goType: `map[string]${goTypeOf(values)}` };
      }
      case "string":
        return schema["format"] === "byte"
          ? { kind: "bytes", goType: "[]uint8" }
          : { kind: "string", goType: "string" };
      case "boolean":
        return { kind: "boolean", goType: "bool" };
      case "integer":
        return schema["format"] === "int32" ? { kind: "int32", goType: "int32" } : { kind: "int64", goType: "int64" };
      case "number":
        return { kind: "float", goType: "float64" };
      default:
        return { kind: "any", goType: lastPart(name) };
    }
  }
}

export const goTypeOf = (node: TypeNode) => (node.kind === "struct" ? `v1.${node.goName}` : node.goType);

const lastPart = (name: string) => name.slice(name.lastIndexOf(".") + 1);

function referenceIn(schema: Tree): string | undefined {
  const all = schema["allOf"];
  const direct = schema["$ref"] ?? (Array.isArray(all) ? (all[0] as Tree | undefined)?.["$ref"] : undefined);
  return typeof direct === "string" ? direct.slice(direct.lastIndexOf("/") + 1) : undefined;
}
