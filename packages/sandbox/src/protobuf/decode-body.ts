import { badRequest } from "../api/api-error.ts";
import type { ApiContext } from "../api/context.ts";
import type { Tree } from "../api/kube-object.ts";
import { wireFields } from "./wire-reader.ts";

/** The media type that Go clients of built-in types send. */
export const protobufMediaType = "application/vnd.kubernetes.protobuf";

// How a request is meant; every group has these in each of its versions.
const options = /^(Create|Delete|Get|List|Patch|Update)Options$/;
const magic = Buffer.from("k8s\0");

/** Reads a body in Kubernetes' protobuf envelope: four bytes, then who it is, then the message itself. */
export function decodeProtobufBody({ definitions, messages }: ApiContext, body: Buffer): Tree {
  if (!body.subarray(0, 4).equals(magic)) {
    throw badRequest("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  let typeMeta: Tree = {};
  let raw: Buffer = Buffer.alloc(0);
  for (const { number, value } of wireFields(body.subarray(4))) {
    if (number === 1) typeMeta = readTypeMeta(value as Buffer);
    else if (number === 2) raw = value as Buffer;
  }
  const apiVersion = String(typeMeta["apiVersion"] ?? "");
  const kind = String(typeMeta["kind"] ?? "");
  const slash = apiVersion.indexOf("/");
  const type = { group: apiVersion.slice(0, Math.max(0, slash)), version: apiVersion.slice(slash + 1), kind };
  const name = options.test(kind) ? `io.k8s.apimachinery.pkg.apis.meta.v1.${kind}` : definitions.nameOf(type);
  if (name === undefined)
    throw badRequest(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
  return { ...(messages.decode(name, raw) as Tree), ...typeMeta };
}

function readTypeMeta(bytes: Buffer): Tree {
  const meta: Tree = {};
  for (const { number, value } of wireFields(bytes)) meta[number === 1 ? "apiVersion" : "kind"] = value.toString();
  return meta;
}
