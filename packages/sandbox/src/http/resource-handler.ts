import { ApiError, methodNotAllowed, notFound, pathUnknown, resourceUnknown } from "../api/api-error.ts";
import type { ApiContext, Target } from "../api/context.ts";
import { createObject, findEntry } from "../api/create-object.ts";
import { encodeWritten } from "../api/encode.ts";
import { answerReview } from "../api/reviews.ts";
import { updateObject } from "../api/update-object.ts";
import { watchObjects } from "../watch/watch-objects.ts";
import { type ApiRequest, type ApiResponse, json } from "./api-request.ts";
import { handleDelete, handleDeleteCollection } from "./delete-handler.ts";
import { handleList, shownBy } from "./list-handler.ts";
import { encodeShown, objectForm } from "./object-form.ts";
import { handlePatch } from "./patch-handler.ts";
import { readObject } from "./read-body.ts";
import { parseResourcePath, type ResourcePath } from "./request-path.ts";
import { handleSubresource } from "./subresource-handler.ts";
import { type OptionsKind, writeOptions } from "./write-options.ts";

/** Answers a request about objects; undefined when the path is not of the API. */
export function handleResource(context: ApiContext, request: ApiRequest): ApiResponse | undefined {
  const path = parseResourcePath(request.path);
  if (!path) return undefined;
  const target = targetOf(context, path);
  const verb = verbOf(request, path);
  if (!objectForm(request.accept) && verb !== "watch") {
    throw new ApiError(406, "NotAcceptable", notAcceptable, {});
  }
  checkVerb(target, verb);
  return withWarnings((warn) => {
    if (target.type.deprecationWarning !== undefined) warn(target.type.deprecationWarning);
    return respond(context, target, request, { verb, warn });
  });
}

function respond(
  context: ApiContext,
  target: Target,
  request: ApiRequest,
  { verb, warn }: { readonly verb: string; readonly warn: Warn },
): ApiResponse {
  if (target.subresource !== "" && verb !== "watch") {
    const options = writeOptions(request, optionsKind(verb), warn);
    const other = handleSubresource(context, target, { ...request, verb }, options);
    if (other) return other;
  }
  switch (verb) {
    case "get":
      return { status: 200, body: encodeShown(context, shownBy(target, request), findEntry(context, target)) };
    case "list":
      return handleList(context, target, request);
    case "watch":
      return {
        status: 200,
        body: { stream: watchObjects(context, target, { query: request.query, shown: shownBy(target, request) }) },
      };
    case "create":
      return handleCreate(context, target, request, warn);
    case "update":
      return handleUpdate(context, target, request, warn);
    case "patch":
      return handlePatch(context, target, request, writeOptions(request, "PatchOptions", warn));
    case "delete":
      return handleDelete(context, target, request);
    case "deletecollection":
      return handleDeleteCollection(context, target, request);
    default:
      throw methodNotAllowed();
  }
}

type Warn = (text: string) => void;

function handleCreate(context: ApiContext, target: Target, request: ApiRequest, warn: Warn): ApiResponse {
  const options = writeOptions(request, "CreateOptions", warn);
  const input = readObject(context, request, target.type.kind);
  const review = answerReview(context, target, input, options);
  if (review) return json(review, 201);
  return { status: 201, body: encodeWritten(target.type, createObject(context, target, input, options)) };
}

function handleUpdate(context: ApiContext, target: Target, request: ApiRequest, warn: Warn): ApiResponse {
  const options = writeOptions(request, "UpdateOptions", warn);
  const written = updateObject(context, target, readObject(context, request, target.type.kind), options);
  return { status: written.created ? 201 : 200, body: encodeWritten(target.type, written) };
}

function targetOf({ registry }: ApiContext, path: ResourcePath): Target {
  const { group, version, plural, namespace, name, subresource } = path;
  const type = registry.find(group, version, plural);
  if (!type)
    throw registry.isBuiltInGroup(group) || registry.isServed(group, version) ? resourceUnknown() : pathUnknown();
  if (namespace !== "" && !type.namespaced) throw type.custom ? pathUnknown() : resourceUnknown();
  if (subresource !== "" && !type.subresources.some((known) => known.name === subresource)) {
    throw type.custom ? notFound(type, name) : resourceUnknown();
  }
  return { type, namespace, name, subresource };
}

const notAcceptable =
  "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

const truthy = (value: string | null) => value === "true" || value === "1";

function verbOf({ method, query }: ApiRequest, { name, isWatch }: ResourcePath): string {
  const one = name !== "";
  switch (method) {
    case "GET":
    case "HEAD":
      if (isWatch || truthy(query.get("watch"))) return "watch";
      return one ? "get" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return one ? "delete" : "deletecollection";
    default:
      return "";
  }
}

function checkVerb({ type, namespace, name, subresource }: Target, verb: string): void {
  const lacksNamespace = type.namespaced && namespace === "" && verb !== "list" && verb !== "watch";
  if (lacksNamespace && type.custom) throw pathUnknown();
  if (lacksNamespace && name !== "") throw resourceUnknown();
  const allowed =
    subresource === "" ? type.verbs : (type.subresources.find((known) => known.name === subresource)?.verbs ?? []);
  const needsName = verb === "update" || verb === "patch";
  const refusesName = verb === "create" && subresource === "" && name !== "";
  if (!allowed.includes(verb) || lacksNamespace || refusesName || (needsName && name === "")) throw methodNotAllowed();
}

const optionsKind = (verb: string): OptionsKind =>
  verb === "create" ? "CreateOptions" : verb === "patch" ? "PatchOptions" : "UpdateOptions";

/** Adds what was warned of to the answer, be it an error. */
function withWarnings(run: (warn: Warn) => ApiResponse): ApiResponse {
  const warnings = new Set<string>();
  let response: ApiResponse;
  try {
    response = run((text) => warnings.add(text));
  } catch (error) {
    if (error instanceof ApiError) error.warnings = [...warnings];
    throw error;
  }
  return warnings.size === 0 ? response : { ...response, warnings: [...warnings] };
}
