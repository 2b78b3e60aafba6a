import { cloneJson } from "@jibe/base";
import { embeddedProblems } from "../crd/embedded-objects.ts";
import type { ResourceType } from "../registry/resource-type.ts";
import { invalid as invalidValue } from "../schema/field-error.ts";
import { validate as validateSchema } from "../schema/structural-schema.ts";
import { type Entry, keyOf, objectOf } from "../storage/entry.ts";
import { ApiError, alreadyExists, badRequest, type FieldProblem, invalid, notFound } from "./api-error.ts";
import type { ApiContext, Target, WriteOptions } from "./context.ts";
import { checkKind, decodeSent } from "./decode-object.ts";
import { type KubeObject, type Tree, timeText } from "./kube-object.ts";
import { checkNamespaceTakesObjects } from "./namespace-check.ts";
import { emptyOf, trackFields } from "./track-fields.ts";
import { metadataProblems, subdomainProblems } from "./validate-metadata.ts";

/** What a write resulted in: the stored entry, or for a dry run the object that would have been stored. */
export type Written = { readonly entry: Entry } | { readonly object: KubeObject };

const nameAttempts = 8;

/** Creates an object from what a client sent. */
export function createObject(context: ApiContext, target: Target, input: Tree, options: WriteOptions): Written {
  const { type, namespace } = target;
  checkKind(context, type, input);
  const object = decodeSent(context, type, input, options);
  placeInNamespace(target, object);
  if (target.name !== "" && object.metadata.name !== target.name) {
    if (object.metadata.name) throw nameMismatch(object.metadata.name, target.name);
    object.metadata.name = target.name;
  }
  checkNamespaceTakesObjects(context, target, object.metadata.name ?? "");
  delete object.metadata.deletionTimestamp;
  delete object.metadata.deletionGracePeriodSeconds;
  trackFields(context, target, { object, old: undefined }, options);
  return storeNew(context, { ...target, namespace }, storedForm(type, object), options);
}

/** An object in the form in which its type is stored. */
export const storedForm = ({ conversion }: ResourceType, object: KubeObject): KubeObject =>
  conversion?.toStored(object) ?? object;

export const nameMismatch = (given: string, wanted: string) =>
  badRequest(`the name of the object (${given}) does not match the name on the URL (${wanted})`);

/** Puts an object into the namespace of the request, which it may leave out but not contradict. */
export function placeInNamespace({ type, namespace }: Target, object: KubeObject): void {
  if (!type.namespaced) {
    if (object.metadata.namespace) throw namespaceMismatch();
    return;
  }
  const given = object.metadata.namespace ?? "";
  if (given !== "" && given !== namespace) throw namespaceMismatch();
  object.metadata.namespace = namespace;
}

const namespaceMismatch = () =>
  badRequest("the namespace of the provided object does not match the namespace sent on the request");

/** Stores a decoded new object: fills in what the server decides, checks it, hands out what it needs. */
export function storeNew(context: ApiContext, target: Target, object: KubeObject, options: WriteOptions): Written {
  const { type } = target;
  const { metadata } = object;
  const givenName = metadata.name ?? "";
  const generates = givenName === "" && (metadata.generateName ?? "") !== "";
  // Only a version that could be one counts.
  if (Number(metadata.resourceVersion ?? 0) > 0) {
    throw new ApiError(500, "", "resourceVersion should not be set on objects to be created");
  }
  fillMetadata(context, target, object);
  const strategy = context.strategyOf(type);
  if (hasStatus(target) && !strategy.keepsStatusOnCreate) clearStatus(context, target, object);
  strategy.prepareForCreate?.(object, context);
  if (strategy.hasGeneration || type.custom) metadata.generation = 1;
  if (generates) metadata.name = freeName(context, target, metadata.generateName ?? "");
  check(context, target, object);
  for (const warning of strategy.warnings?.(object, undefined) ?? []) options.warn(warning);
  const key = keyOf(metadata.namespace ?? "", metadata.name ?? "");
  const existing = context.store.get(type.bucket, key);
  if (existing) throw taken(type, existing);
  if (options.dryRun) return { object };
  const problems = strategy.allocate?.(object, undefined, context) ?? [];
  if (problems.length > 0) throw invalid(type, metadata.name ?? "", problems);
  return { entry: context.store.commit(type.bucket, object) };
}

function taken(type: ResourceType, entry: Entry): ApiError {
  const error = alreadyExists(type, entry.name);
  if (!objectOf(entry).metadata.deletionTimestamp) return error;
  return new ApiError(error.code, error.reason, `object is being deleted: ${error.message}`, error.details);
}

function fillMetadata(context: ApiContext, { type }: Target, object: KubeObject): void {
  const { metadata } = object;
  delete metadata.selfLink;
  metadata.creationTimestamp = timeText(context.clock.now());
  metadata.uid = context.newUid();
  if (!type.namespaced) delete metadata.namespace;
}

/** A name that is not taken. Collisions are as rare as in Kubernetes, and retried likewise. */
function freeName(context: ApiContext, { type, namespace }: Target, prefix: string): string {
  const base = prefix.slice(0, 58);
  for (let attempt = 0; attempt < nameAttempts; attempt++) {
    const name = `${base}${context.nameSuffix()}`;
    if (!context.store.get(type.bucket, keyOf(namespace, name))) return name;
  }
  throw new ApiError(
    409,
    "AlreadyExists",
    `${type.plural} "${prefix}" already exists, the server was not able to generate a unique name for the object`,
    {
      name: prefix,
      kind: type.plural,
      retryAfterSeconds: 1,
    },
  );
}

function check(context: ApiContext, { type }: Target, object: KubeObject): void {
  const strategy = context.strategyOf(type);
  const nameProblems = strategy.validateName ?? subdomainProblems;
  const problems = [
    ...metadataProblems(object, { namespaced: type.namespaced, nameProblems }),
    ...customProblems(type, object),
    ...(strategy.validate?.(object, undefined) ?? []),
  ];
  if (problems.length > 0) throw invalid(type, object.metadata.name ?? "", problems);
}

/** What is wrong with a custom resource by its schema. */
export function customProblems(
  { custom, kind, group }: ResourceType,
  object: KubeObject,
  old?: KubeObject,
): FieldProblem[] {
  if (object.kind !== undefined && object.kind !== kind) {
    const problem = invalidValue("kind", object.kind, `must be ${kind}`);
    throw invalid({ group, kind: object.kind }, object.metadata.name ?? "", [problem]);
  }
  const schema = custom?.schema;
  return schema ? [...validateSchema(schema, object, old), ...embeddedProblems(schema, object)] : [];
}

const hasStatus = ({ type }: Target) => type.subresources.some(({ name }) => name === "status");

function clearStatus(context: ApiContext, { type }: Target, object: KubeObject): void {
  if (type.custom) delete object["status"];
  else if ("status" in object) object["status"] = cloneJson(emptyOf(context, type)["status"]) ?? {};
}

/** The current entry of a target. */
export function findEntry(context: ApiContext, { type, namespace, name }: Target): Entry {
  const entry = context.store.get(type.bucket, keyOf(type.namespaced ? namespace : "", name));
  if (!entry) throw notFound(type, name);
  return entry;
}
