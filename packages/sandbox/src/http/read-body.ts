import { messageOf } from "@jibe/base";
import { load } from "js-yaml";
import { badRequest, unsupportedMediaType } from "../api/api-error.ts";
import type { ApiContext } from "../api/context.ts";
import { isTree, parseObjectText, type Tree } from "../api/kube-object.ts";
import { decodeProtobufBody, protobufMediaType } from "../protobuf/decode-body.ts";
import type { ApiRequest } from "./api-request.ts";

const mediaTypeOf = (contentType: string) => contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** Reads the object that a request carries, in JSON, YAML or protobuf. */
export function readObject(context: ApiContext, { body, contentType }: Pick<ApiRequest, "body" | "contentType">): Tree {
  const mediaType = mediaTypeOf(contentType);
  if (mediaType === protobufMediaType) return decodeProtobufBody(context, body);
  if (mediaType === "application/yaml") return asObject(readYaml(body));
  if (mediaType !== "" && mediaType !== "application/json" && mediaType !== "*/*") {
    throw unsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    );
  }
  return asObject(readJson(body));
}

/** Reads JSON, with the server's words for what is none. */
export function readJson(body: Buffer): unknown {
  try {
    return parseObjectText(body.toString());
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${messageOf(error)}`);
  }
}

/** Reads YAML, of which JSON is a part. */
function readYaml(body: Buffer): unknown {
  const content = body.toString();
  if (content.trimStart().startsWith("{")) return readJson(body);
  try {
    return load(content);
  } catch (error) {
    throw badRequest(`error parsing YAML: ${messageOf(error)}`);
  }
}

/** Reads an applied configuration. */
export const readYamlObject = (body: Buffer): Tree => asObject(readYaml(body));

function asObject(value: unknown): Tree {
  if (!isTree(value)) {
    throw badRequest(
      "couldn't get version/kind; json parse error: json: cannot unmarshal value into Go value of type struct",
    );
  }
  return value;
}
