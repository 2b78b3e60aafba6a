import type { JsonObject } from "../schema/json-object.ts";

/** An object without anything but its metadata. */
export function partialObject(object: JsonObject): JsonObject {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object["metadata"] ?? {} };
}

/** The same for a list; `metadata` is the list's own. */
export function partialObjectList(objects: readonly JsonObject[], metadata: JsonObject): JsonObject {
  return {
    kind: "PartialObjectMetadataList",
    apiVersion: "meta.k8s.io/v1",
    metadata,
    items: objects.map(partialObject),
  };
}
