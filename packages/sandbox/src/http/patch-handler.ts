import { ApiError, invalid, unsupportedMediaType } from "../api/api-error.ts";
import { applyObject } from "../api/apply-object.ts";
import type { ApiContext, Target, WriteOptions } from "../api/context.ts";
import { encodeWritten } from "../api/encode.ts";
import { type PatchType, patchObject } from "../api/patch-object.ts";
import { forbidden } from "../schema/field-error.ts";
import type { ApiRequest, ApiResponse } from "./api-request.ts";
import { readApplied, readPatch } from "./read-body.ts";

const patchTypes: Readonly<Record<string, PatchType>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
};

/** Answers a patch of any kind. */
export function handlePatch(
  context: ApiContext,
  target: Target,
  request: ApiRequest,
  options: WriteOptions,
): ApiResponse {
  const mediaType = request.contentType.split(";", 1)[0]?.trim() ?? "";
  if (mediaType === "application/apply-patch+yaml") return applyResponse(context, target, request, options);
  if (request.query.has("force")) {
    const problem = forbidden("force", "may not be specified for non-apply patch");
    throw invalid({ group: "meta.k8s.io", kind: "PatchOptions" }, "", [problem]);
  }
  const patchType = patchTypes[mediaType];
  const isRefused = patchType === undefined || (patchType === "strategic" && target.type.custom);
  if (isRefused) {
    const forCustom = "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
    if (target.type.custom) {
      throw unsupportedMediaType(
        `the body of the request was in an unknown format - accepted media types include: ${forCustom}`,
      );
    }
    throw new ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  }
  const written = patchObject(context, target, { patchType, patch: readPatch(request) }, options);
  return { status: 200, body: encodeWritten(target.type, written) };
}

function applyResponse(context: ApiContext, target: Target, request: ApiRequest, options: WriteOptions): ApiResponse {
  const force = ["true", "1"].includes(request.query.get("force") ?? "");
  const isManagerGiven = (request.query.get("fieldManager") ?? "") !== "";
  const applied = readApplied(request.body);
  const written = applyObject(context, target, { applied, force }, { ...options, isManagerGiven });
  return { status: written.created ? 201 : 200, body: encodeWritten(target.type, written) };
}
