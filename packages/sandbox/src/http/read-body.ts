import { parseJson } from "@jibe/base";
import { boolYaml11Tag, CORE_SCHEMA, load, mergeTag, YAMLException } from "js-yaml";
import { badRequest, unsupportedMediaType } from "../api/api-error.ts";
import type { ApiContext } from "../api/context.ts";
import { bodySummary, jsonErrorText } from "../api/json-error.ts";
import { isTree, type Tree } from "../api/kube-object.ts";
import { decodeProtobufBody, protobufMediaType } from "../protobuf/decode-body.ts";
import type { ApiRequest } from "./api-request.ts";

type Body = Pick<ApiRequest, "body" | "contentType">;

const mediaTypeOf = (contentType: string) => contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** Reads the object of a kind that a request carries, in JSON, YAML or protobuf. */
export function readObject(context: ApiContext, { body, contentType }: Body, kind: string): Tree {
  const mediaType = mediaTypeOf(contentType);
  if (mediaType === protobufMediaType) return decodeProtobufBody(context, body);
  const isYaml = mediaType === "application/yaml";
  if (!isYaml && mediaType !== "" && mediaType !== "application/json" && mediaType !== "*/*") {
    throw unsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    );
  }
  const value = isYaml ? readYaml(body) : readJsonOf(body, kind);
  if (isTree(value)) return value;
  const found = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  const struct = `struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`;
  throw unrecognized(body, kind, `json: cannot unmarshal ${found} into Go value of type ${struct}`);
}

function readJsonOf(body: Buffer, kind: string): unknown {
  const text = body.toString();
  try {
    return parseJson(text);
  } catch (error) {
    throw unrecognized(body, kind, jsonErrorText(text, error));
  }
}

const unrecognized = (body: Buffer, kind: string, why: string) =>
  badRequest(
    kind === "DeleteOptions"
      ? `couldn't get version/kind; json parse error: ${why}`
      : `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${why} (${bodySummary(body)})`,
  );

/** Reads the JSON of a patch. */
export function readPatch({ body, contentType }: Body): unknown {
  const text = body.toString();
  const prefix = contentType.startsWith("application/strategic-merge-patch+json") ? "" : "error decoding patch: ";
  try {
    return parseJson(text);
  } catch (error) {
    throw badRequest(`${prefix}${jsonErrorText(text, error)}`);
  }
}

/** Reads an applied configuration. */
export function readApplied(body: Buffer): Tree {
  const value = readYaml(body);
  if (isTree(value)) return value;
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${typeof value} into Go value of type map[string]interface {}`,
  );
}

/** Parsers count lines alike, but word their complaints differently. */
function lineOf(error: unknown): number {
  return error instanceof YAMLException ? Number(error.mark?.line ?? 0) + 1 : 1;
}

// Go's YAML reads booleans as YAML 1.1 does, and dates as text.
const schema = CORE_SCHEMA.withTags(boolYaml11Tag, mergeTag);

function readYaml(body: Buffer): unknown {
  const text = body.toString();
  if (text.trimStart().startsWith("{")) {
    try {
      return parseJson(text);
    } catch {
      // a flow mapping that is not JSON is read as YAML below
    }
  }
  try {
    return load(text, { schema });
  } catch (error) {
    throw badRequest(
      `error decoding YAML: error converting YAML to JSON: yaml: line ${lineOf(error)}: did not find expected node content`,
    );
  }
}
