import { setOwn } from "@jibe/base";
import { isJsonObject, type JsonObject } from "../schema/json-object.ts";
import {
  componentFor,
  type GroupVersionKind,
  type OpenApiComponents,
  type OpenApiSchema,
  resolveSchema,
} from "../schema/open-api.ts";

/**
 * What the API server compares a created object with: the members that a built-in kind always has, empty. They decide
 * which parents (`f:spec` without `.`) a creator does not own. Custom resources start from nothing.
 */
export function emptyObject(components: OpenApiComponents | undefined, gvk: GroupVersionKind): JsonObject {
  const apiVersion = gvk.group === "" ? gvk.version : `${gvk.group}/${gvk.version}`;
  const schema = components && componentFor(components, gvk);
  const members = components && schema ? emptyMembers(components, schema) : {};
  return { ...members, apiVersion, kind: gvk.kind };
}

function emptyMembers(components: OpenApiComponents, schema: OpenApiSchema): JsonObject {
  const { properties = {}, required = [] } = resolveSchema(components, schema);
  const members: JsonObject = {};
  for (const [name, property] of Object.entries(properties)) {
    const target = resolveSchema(components, property);
    const isStruct = isJsonObject(property.default) && target.properties !== undefined;
    if (isStruct) setOwn(members, name, emptyMembers(components, property));
    // Whether a time is written when it is not set cannot be told from the schema; null does no harm where it is not.
    else if (target.format === "date-time") setOwn(members, name, null);
    else if (property.default !== undefined || required.includes(name)) setOwn(members, name, property.default ?? null);
  }
  return members;
}
