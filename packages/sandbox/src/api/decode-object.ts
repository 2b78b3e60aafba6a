import { decodeTyped, TypeMismatch } from "../builtin/typed-decoder.ts";
import { apiVersionOf, type ResourceType } from "../registry/resource-type.ts";
import { invalid as invalidValue } from "../schema/field-error.ts";
import { applyDefaults, prune } from "../schema/structural-schema.ts";
import { ApiError, badRequest, invalid } from "./api-error.ts";
import type { ApiContext, WriteOptions } from "./context.ts";
import { isTree, type KubeObject, type ObjectMeta, type Tree } from "./kube-object.ts";

/** An object that is not one of its type. How that is answered depends on where the object came from. */
export class DecodeFailure extends Error {
  override readonly name = "DecodeFailure";
  /** The words for the same after a strategic merge. */
  readonly converting: string;

  constructor(message: string, converting = message) {
    super(message);
    this.converting = converting;
  }
}

/** The same as `decodeObject` for what a client sent as a whole. */
export function decodeSent(
  context: ApiContext,
  type: ResourceType,
  input: Tree,
  options: Pick<WriteOptions, "fieldValidation" | "warn">,
): KubeObject {
  try {
    return decodeObject(context, type, input, options);
  } catch (error) {
    if (!(error instanceof DecodeFailure)) throw error;
    throw badRequest(`${type.kind} in version "${type.version}" cannot be handled as a ${type.kind}: ${error.message}`);
  }
}

/** The same for what a patch made of an object. */
export function decodePatched(
  context: ApiContext,
  type: ResourceType,
  input: Tree,
  options: Pick<WriteOptions, "fieldValidation" | "warn"> & { readonly isConverted?: boolean },
): KubeObject {
  try {
    // The server decodes patched text, whose keys are sorted: which of two problems it meets first depends on it.
    return decodeObject(context, type, Object.fromEntries(Object.entries(input).sort(byKey)), options);
  } catch (error) {
    if (!(error instanceof DecodeFailure)) throw error;
    const why = options.isConverted ? error.converting : error.message;
    throw invalid({ group: "", kind: "" }, "", [invalidValue("patch", JSON.stringify(input), why)]);
  }
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);

const objectMetaName = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** Checks that what a client sent says it is an object of this type. Absent `kind` and `apiVersion` count as right. */
export function checkKind(context: ApiContext, type: ResourceType, input: Tree): void {
  if (type.custom) {
    checkCustomKind(type, input);
    return;
  }
  const apiVersion = String(input["apiVersion"] || apiVersionOf(type));
  const kind = String(input["kind"] || type.kind);
  if (kind === type.kind && apiVersion === apiVersionOf(type)) return;
  const known = context.registry.findKind(apiVersion, kind);
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  const why = known
    ? `converting (${version}.${kind}) to (${packageOf(type.group)}.${type.kind}): unknown conversion`
    : `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`;
  throw badRequest(`${kind} in version "${version}" cannot be handled as a ${type.kind}: ${why}`);
}

/** Custom resources say themselves what they are. */
function checkCustomKind(type: ResourceType, input: Tree): void {
  const { apiVersion = "", kind = "" } = input;
  const shown = JSON.stringify(input);
  const summary = shown.length > 30 ? `${shown.slice(0, 30)} ...` : shown;
  const missing = kind === "" ? "Kind" : apiVersion === "" ? "apiVersion" : "";
  if (missing !== "") {
    const why = `Object '${missing}' is missing in '${shown}'`;
    throw badRequest(`the object provided is unrecognized (must be of type ${type.kind}): ${why} (${summary})`);
  }
  if (apiVersion !== apiVersionOf(type)) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(type)})`,
    );
  }
}

/** The Go package of a group's types, which messages name. */
const packageOf = (group: string) => (group === "" ? "core" : group.slice(0, `${group}.`.indexOf(".")));

/**
 * Makes a well-formed object of a type from what a client sent or a patch produced: unknown fields removed and
 * reported as the client asked for, values in their usual notation, defaults filled in.
 */
export function decodeObject(
  context: ApiContext,
  type: ResourceType,
  input: Tree,
  options: Pick<WriteOptions, "fieldValidation" | "warn">,
): KubeObject {
  const unknown: string[] = [];
  const object = type.custom
    ? decodeCustom(context, type, input, unknown)
    : decodeBuiltIn(context, type, input, unknown);
  reportUnknown(unknown, options);
  object.apiVersion = apiVersionOf(type);
  object.kind = type.custom && typeof input["kind"] === "string" ? input["kind"] : type.kind;
  context.strategyOf(type).setDefaults?.(object);
  return object;
}

function decodeBuiltIn(context: ApiContext, type: ResourceType, input: Tree, unknown: string[]): KubeObject {
  const name = context.definitions.nameOf(type);
  if (name === undefined) throw new ApiError(500, "InternalError", `no definition for ${type.kind}`);
  const decoded = decodeNode(context, name, input, unknown);
  decoded["metadata"] ??= {};
  return decoded as KubeObject;
}

function decodeCustom(context: ApiContext, type: ResourceType, input: Tree, unknown: string[]): KubeObject {
  const { metadata: given, ...rest } = input;
  const inMetadata: string[] = [];
  const metadata = isTree(given) ? decodeNode(context, objectMetaName, given, inMetadata) : {};
  unknown.push(...inMetadata.map((path) => `metadata.${path}`));
  const object = { ...rest, metadata: metadata as ObjectMeta } as KubeObject;
  const schema = type.custom?.schema;
  if (schema) {
    unknown.push(...prune(schema, object).map(String));
    applyDefaults(schema, object);
  }
  return object;
}

function decodeNode(context: ApiContext, name: string, input: Tree, unknown: string[]): Tree {
  try {
    return decodeTyped(context.nodes.named(name), input, unknown) as Tree;
  } catch (error) {
    if (error instanceof TypeMismatch) throw new DecodeFailure(error.message, error.converting);
    throw error;
  }
}

function reportUnknown(
  unknown: readonly string[],
  { fieldValidation, warn }: Pick<WriteOptions, "fieldValidation" | "warn">,
): void {
  if (unknown.length === 0 || fieldValidation === "Ignore") return;
  const texts = unknown.map((path) => `unknown field "${path}"`);
  if (fieldValidation === "Warn") for (const text of texts) warn(text);
  else {
    throw new DecodeFailure(`strict decoding error: ${texts.join(", ")}`);
  }
}
