import { isTree } from "../api/kube-object.ts";
import { type FieldError, required } from "../schema/field-error.ts";
import type { StructuralSchema } from "../schema/structural-schema.ts";

/** What objects inside a custom resource must say of themselves: their kind and version. */
export function embeddedProblems(schema: StructuralSchema, value: unknown, path = ""): FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.flatMap((item, index) => embeddedProblems(items, item, `${path}[${index}]`)) : [];
  }
  if (!isTree(value)) return [];
  const isEmbedded = path !== "" && schema["x-kubernetes-embedded-resource"] === true;
  const own = isEmbedded
    ? ["apiVersion", "kind"].filter((field) => !value[field]).map((field) => required(`${path}.${field}`))
    : [];
  const inner = Object.entries(value).flatMap(([key, item]) => {
    const { properties = {}, additionalProperties } = schema;
    const child = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    return typeof child === "object" ? embeddedProblems(child, item, path === "" ? key : `${path}.${key}`) : [];
  });
  return [...own, ...inner];
}
