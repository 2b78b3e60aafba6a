import { applyJsonPatch } from "../patch/json-patch.ts";
import { applyMergePatch } from "../patch/merge-patch.ts";
import { mergeSchemaFor } from "../patch/merge-schema.ts";
import { PatchError } from "../patch/patch-error.ts";
import { applyStrategicMerge } from "../patch/strategic-merge.ts";
import { apiVersionOf } from "../registry/resource-type.ts";
import type { OpenApiComponents } from "../schema/open-api.ts";
import { objectOf } from "../storage/entry.ts";
import { ApiError, badRequest, conflict, modifiedText } from "./api-error.ts";
import type { ApiContext, Target, WriteOptions } from "./context.ts";
import { findEntry, type Written } from "./create-object.ts";
import { checkKind, decodeObject } from "./decode-object.ts";
import { isTree, type KubeObject } from "./kube-object.ts";
import { replaceObject } from "./update-object.ts";

export type PatchType = "json" | "merge" | "strategic";

/** Changes an object by a JSON patch, a merge patch or a strategic merge patch. */
export function patchObject(
  context: ApiContext,
  target: Target,
  { patchType, patch }: { readonly patchType: PatchType; readonly patch: unknown },
  options: WriteOptions,
): Written {
  const { type, name } = target;
  const entry = findEntry(context, target);
  const live = objectOf(entry);
  live.apiVersion = apiVersionOf(type);
  live.kind = type.kind;
  const patched = applyPatch(context, target, { patchType, patch, live });
  if (!isTree(patched)) throw badRequest("the patch does not leave an object");
  checkKind(type, patched);
  const object = decodeObject(context, type, patched, options);
  checkIdentity(target, object, live);
  if (object.metadata.resourceVersion !== String(entry.revision)) throw conflict(type, name, modifiedText);
  return replaceObject(context, target, { object, entry }, options);
}

function applyPatch(
  context: ApiContext,
  { type }: Target,
  { patchType, patch, live }: { readonly patchType: PatchType; readonly patch: unknown; readonly live: KubeObject },
): unknown {
  try {
    switch (patchType) {
      case "json":
        return applyJsonPatch(live, patch);
      case "merge":
        return applyMergePatch(live, patch);
      case "strategic":
        return applyStrategicMerge(live, patch, mergeSchemaFor(context.definitions.schemas as OpenApiComponents, type));
    }
  } catch (error) {
    if (error instanceof PatchError) throw patchFailed(error);
    throw error;
  }
}

function patchFailed(error: PatchError): ApiError {
  switch (error.kind) {
    case "BadRequest":
      return badRequest(error.message);
    case "Unprocessable":
      return new ApiError(422, "Invalid", error.message);
    case "TooLarge":
      return new ApiError(413, "RequestEntityTooLarge", error.message);
    default:
      return new ApiError(500, "InternalError", error.message);
  }
}

function checkIdentity({ name, namespace, type }: Target, object: KubeObject, live: KubeObject): void {
  const { metadata } = object;
  metadata.name ??= "";
  if (metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
  if (type.namespaced && metadata.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  metadata.resourceVersion ??= live.metadata.resourceVersion ?? "";
}
