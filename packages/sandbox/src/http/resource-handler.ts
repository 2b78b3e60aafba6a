import {
  ApiError,
  type FieldProblem,
  invalid,
  methodNotAllowed,
  notFound,
  pathUnknown,
  resourceUnknown,
  unsupportedMediaType,
} from "../api/api-error.ts";
import { applyObject } from "../api/apply-object.ts";
import type { ApiContext, FieldValidation, Target, WriteOptions } from "../api/context.ts";
import { createObject, findEntry } from "../api/create-object.ts";
import { encodeWritten, membersOf, prefixesOf } from "../api/encode.ts";
import { listHead, listMetadata, listObjects } from "../api/list-objects.ts";
import { type PatchType, patchObject } from "../api/patch-object.ts";
import { answerReview } from "../api/reviews.ts";
import { updateObject } from "../api/update-object.ts";
import { forbidden, notSupported, tooLong } from "../schema/field-error.ts";
import { watchObjects } from "../watch/watch-objects.ts";
import { type ApiRequest, type ApiResponse, json } from "./api-request.ts";
import { handleDelete, handleDeleteCollection } from "./delete-handler.ts";
import { encodeShown, encodeShownList, objectForm, type Shown } from "./object-form.ts";
import { readApplied, readObject, readPatch } from "./read-body.ts";
import { parseResourcePath, type ResourcePath } from "./request-path.ts";
import { handleSubresource } from "./subresource-handler.ts";

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
  const response = respond(context, target, request, verb);
  const warning = target.type.custom?.deprecationWarning;
  return warning === undefined ? response : { ...response, warnings: [warning, ...(response.warnings ?? [])] };
}

function respond(context: ApiContext, target: Target, request: ApiRequest, verb: string): ApiResponse {
  if (target.subresource !== "" && verb !== "watch") {
    const other = withWarnings((warn) =>
      handleSubresource(context, target, { ...request, verb }, writeOptions(request, optionsKind(verb), warn)),
    );
    if (other) return other;
  }
  switch (verb) {
    case "get":
      return { status: 200, body: encodeShown(context, shownBy(target, request), findEntry(context, target)) };
    case "list":
      return listResponse(context, target, request);
    case "watch":
      return {
        status: 200,
        body: { stream: watchObjects(context, target, { query: request.query, shown: shownBy(target, request) }) },
      };
    case "create":
      return withWarnings((warn) => {
        const options = writeOptions(request, "CreateOptions", warn);
        const input = readObject(context, request, target.type.kind);
        const review = answerReview(context, target, input, options);
        if (review) return json(review, 201);
        const written = createObject(context, target, input, options);
        return { status: 201, body: encodeWritten(target.type, written) };
      });
    case "update":
      return withWarnings((warn) => {
        const options = writeOptions(request, "UpdateOptions", warn);
        const written = updateObject(context, target, readObject(context, request, target.type.kind), options);
        return { status: written.created ? 201 : 200, body: encodeWritten(target.type, written) };
      });
    case "patch":
      return withWarnings((warn) =>
        patchResponse(context, target, request, writeOptions(request, "PatchOptions", warn)),
      );
    case "delete":
      return handleDelete(context, target, request);
    case "deletecollection":
      return handleDeleteCollection(context, target, request);
    default:
      throw methodNotAllowed();
  }
}

function targetOf({ registry }: ApiContext, path: ResourcePath): Target {
  const { group, version, plural, namespace, name, subresource } = path;
  const type = registry.find(group, version, plural);
  if (!type) throw group === "" || registry.isServed(group, version) ? resourceUnknown() : pathUnknown();
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
  const allowed =
    subresource === "" ? type.verbs : (type.subresources.find((known) => known.name === subresource)?.verbs ?? []);
  if (!allowed.includes(verb)) throw methodNotAllowed();
  const needsName = verb === "update" || verb === "patch";
  const refusesName = verb === "create" && subresource === "" && name !== "";
  const needsNamespace = type.namespaced && namespace === "" && verb !== "list" && verb !== "watch";
  if (refusesName || (needsName && name === "") || needsNamespace) throw methodNotAllowed();
}

const optionsKind = (verb: string): OptionsKind =>
  verb === "create" ? "CreateOptions" : verb === "patch" ? "PatchOptions" : "UpdateOptions";

function withWarnings<T extends ApiResponse | undefined>(run: (warn: (text: string) => void) => T): T {
  const warnings = new Set<string>();
  const response = run((text) => warnings.add(text));
  return warnings.size === 0 || !response ? response : { ...response, warnings: [...warnings] };
}

type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions" | "DeleteOptions";

/** How a write was asked for in the query. */
export function writeOptions(
  { query, userAgent }: ApiRequest,
  kind: OptionsKind,
  warn: (text: string) => void,
): WriteOptions {
  const manager = query.get("fieldManager") ?? "";
  const validation = query.get("fieldValidation") ?? "";
  const validations = ["", "Ignore", "Strict", "Warn"];
  const problems = [
    ...dryRunProblems(query.getAll("dryRun")),
    ...(validations.includes(validation) ? [] : [notSupported("fieldValidation", validation, validations)]),
    ...(manager.length > 128 ? [tooLong("fieldManager", 128)] : []),
  ];
  if (problems.length > 0) throw invalid({ group: "meta.k8s.io", kind }, "", problems);
  return {
    dryRun: query.has("dryRun"),
    fieldManager: manager === "" ? (userAgent.split("/", 1)[0] ?? "") : manager,
    fieldValidation: (validation === "" ? "Warn" : validation) as FieldValidation,
    warn,
  };
}

/** The only dry run there is concerns every stage. */
export function dryRunProblems(values: readonly string[]): FieldProblem[] {
  return values.every((value) => value === "All") ? [] : [notSupported("dryRun", values, ["All"])];
}

const patchTypes: Readonly<Record<string, PatchType>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
};

function patchResponse(context: ApiContext, target: Target, request: ApiRequest, options: WriteOptions): ApiResponse {
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
  const force = truthy(request.query.get("force"));
  const isManagerGiven = (request.query.get("fieldManager") ?? "") !== "";
  const applied = readApplied(request.body);
  const written = applyObject(context, target, { applied, force }, { ...options, isManagerGiven });
  return { status: written.created ? 201 : 200, body: encodeWritten(target.type, written) };
}

const comma = Buffer.from(",");
const tail = Buffer.from("]}\n");
const chunkBytes = 256 * 1024;

const shownBy = ({ type }: Target, { accept, query }: ApiRequest): Shown => ({
  type,
  form: objectForm(accept) ?? "whole",
  includeObject: query.get("includeObject"),
});

function listResponse(context: ApiContext, target: Target, request: ApiRequest): ApiResponse {
  const page = listObjects(context, target, request.query);
  const shown = shownBy(target, request);
  if (shown.form !== "whole") {
    return { status: 200, body: encodeShownList(context, shown, page.entries, listMetadata(target, page)) };
  }
  const { item } = prefixesOf(target.type);
  const head = Buffer.from(listHead(target, page));
  const separator = Buffer.concat([comma, item]);
  function* pieces(): Generator<Buffer> {
    let parts: Buffer[] = [head];
    let size = head.length;
    let isFirst = true;
    for (const entry of page.entries) {
      const bytes = membersOf(target.type, entry);
      parts.push(isFirst ? item : separator, bytes);
      isFirst = false;
      size += separator.length + bytes.length;
      if (size < chunkBytes) continue;
      yield Buffer.concat(parts);
      parts = [];
      size = 0;
    }
    parts.push(tail);
    yield Buffer.concat(parts);
  }
  const chunks = pieces();
  if (page.entries.length > 200) return { status: 200, body: chunks };
  return { status: 200, body: Buffer.concat([...chunks]) };
}
