import { applyJsonPatch } from "../patch/json-patch.ts";
import { applyMergePatch } from "../patch/merge-patch.ts";
import { mergeSchemaFor } from "../patch/merge-schema.ts";
import { PatchError } from "../patch/patch-error.ts";
import { applyStrategicMerge } from "../patch/strategic-merge.ts";
import type { OpenApiComponents } from "../schema/open-api.ts";
import { ApiError, badRequest, conflict, modifiedText } from "./api-error.ts";
import type { ApiContext, Target, WriteOptions } from "./context.ts";
import { findEntry, storedForm, type Written } from "./create-object.ts";
import { checkKind, decodePatched } from "./decode-object.ts";
import { isTree, type KubeObject } from "./kube-object.ts";
import { trackFields } from "./track-fields.ts";
import { liveObject, replaceObject } from "./update-object.ts";

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
  const live = liveObject(target, entry);
  const patched = applyPatch(context, target, { patchType, patch, live });
  if (!isTree(patched)) throw badRequest("the patch does not leave an object");
  checkKind(context, type, patched);
  const object = decodePatched(context, type, patched, { ...options, isConverted: patchType === "strategic" });
  checkIdentity(target, object, live);
  if (object.metadata.resourceVersion !== String(entry.revision)) throw conflict(type, name, modifiedText);
  trackFields(context, target, { object, old: live }, options);
  return replaceObject(context, target, { object: storedForm(type, object), entry }, options);
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

/** The answer to a patch that cannot be read or does not fit. */
export function patchFailed(error: PatchError): ApiError {
  switch (error.kind) {
    case "BadRequest":
      return badRequest(error.message);
    case "Unprocessable":
      return new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {});
    case "TooLarge":
      return new ApiError(413, "RequestEntityTooLarge", error.message);
    default:
      return new ApiError(500, "", error.message);
  }
}

/** Checks that a patched object is still the one that the path names. */
export function checkIdentity(
  { name, namespace, type }: Target,
  object: KubeObject,
  live: KubeObject | undefined,
): void {
  const { metadata } = object;
  metadata.name ??= "";
  if (metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
  if (type.namespaced && metadata.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (live) metadata.resourceVersion ??= live.metadata.resourceVersion ?? "";
}
