import { cloneJson, jsonEquals } from "@jibe/base";
import { apiVersionOf, type ResourceType } from "../registry/resource-type.ts";
import { invalid as invalidValue } from "../schema/field-error.ts";
import { validateAt } from "../schema/structural-schema.ts";
import { type Entry, keyOf, objectOf } from "../storage/entry.ts";
import { badRequest, conflict, type FieldProblem, invalid, modifiedText } from "./api-error.ts";
import type { ApiContext, Target, WriteOptions } from "./context.ts";
import {
  createObject,
  customProblems,
  findEntry,
  nameMismatch,
  placeInNamespace,
  storedForm,
  type Written,
} from "./create-object.ts";
import { checkKind, decodeSent } from "./decode-object.ts";
import { finishDeletion } from "./finish-deletion.ts";
import type { KubeObject, ObjectMeta, Tree } from "./kube-object.ts";
import { trackFields } from "./track-fields.ts";
import { metadataUpdateProblems } from "./update-problems.ts";
import { metadataProblems, subdomainProblems } from "./validate-metadata.ts";

/** Replaces an object, or one of its subresources, by what a client sent. */
export function updateObject(
  context: ApiContext,
  target: Target,
  input: Tree,
  options: WriteOptions,
): Written & { readonly created?: true } {
  const { type, name } = target;
  checkKind(context, type, input);
  const object = decodeSent(context, type, input, options);
  const given = object.metadata.name ?? "";
  if (given !== name && given !== "") throw nameMismatch(given, name);
  if (given === "") {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  placeInNamespace(target, object);
  const key = keyOf(object.metadata.namespace ?? "", name);
  const strategy = context.strategyOf(type);
  if (strategy.createsOnUpdate && target.subresource === "" && !context.store.get(type.bucket, key)) {
    return { ...createObject(context, { ...target, name: "" }, input, options), created: true };
  }
  const entry = findEntry(context, target);
  checkPreconditions(context, target, object, entry);
  trackFields(context, target, { object, old: liveObject(target, entry) }, options);
  return replaceObject(context, target, { object: storedForm(type, object), entry }, options);
}

function checkPreconditions(context: ApiContext, { type, name }: Target, object: KubeObject, entry: Entry): void {
  const version = object.metadata.resourceVersion ?? "";
  if (version === "" && (type.custom || context.strategyOf(type).requiresVersion)) {
    const problem = invalidValue("metadata.resourceVersion", 0, "must be specified for an update");
    throw invalid({ group: type.group, kind: type.plural }, name, [problem]);
  }
  const live = objectOf(entry).metadata.uid;
  if (object.metadata.uid && object.metadata.uid !== live) {
    const key = `/registry/${type.plural}/${entry.key}`;
    const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${object.metadata.uid}, UID in object meta: ${live}`;
    throw conflict(type, name, why);
  }
  if (version !== "" && version !== String(entry.revision)) throw conflict(type, name, modifiedText);
}

/** The stored object in the requested version. */
export function liveObject({ type }: Target, entry: Entry): KubeObject {
  const stored = objectOf(entry);
  return { ...(type.conversion?.fromStored(stored) ?? stored), apiVersion: apiVersionOf(type), kind: type.kind };
}

/** Stores a new state of an object that exists, after taking from the old one what a write may not change. */
export function replaceObject(
  context: ApiContext,
  target: Target,
  { object, entry }: { readonly object: KubeObject; readonly entry: Entry },
  options: WriteOptions,
): Written {
  const { type } = target;
  const old = { ...objectOf(entry), apiVersion: apiVersionOf(type), kind: type.kind };
  const immutable = metadataUpdateProblems(object, old);
  if (immutable.length > 0) throw invalid(type, target.name, immutable);
  prepare(context, target, object, old);
  check(context, target, object, old);
  for (const warning of context.strategyOf(type).warnings?.(object, old) ?? []) options.warn(warning);
  const problems = options.dryRun ? [] : (context.strategyOf(type).allocate?.(object, old, context) ?? []);
  if (problems.length > 0) throw invalid(type, target.name, problems);
  if (isSame(object, old)) return { entry };
  if (options.dryRun) return { object };
  return { entry: finishDeletion(context, type, { object, old }) ?? context.store.commit(type.bucket, object) };
}

/** Whether a write changes nothing; then nothing is stored and the version stays. */
function isSame(object: KubeObject, old: KubeObject): boolean {
  object.metadata.resourceVersion = old.metadata.resourceVersion ?? "";
  return jsonEquals(object, old);
}

function prepare(context: ApiContext, target: Target, object: KubeObject, old: KubeObject): void {
  const { type, subresource } = target;
  const strategy = context.strategyOf(type);
  keepMetadata(object, old);
  if (subresource !== "") {
    if (strategy.prepareForSubresource) strategy.prepareForSubresource(object, old, subresource);
    else keepAllButStatus(context, target, object, old);
  } else {
    if (type.subresources.some(({ name }) => name === "status")) keepStatus(object, old);
    strategy.prepareForUpdate?.(object, old, context);
  }
  setGeneration(context, target, object, old);
}

/** What no write changes: identity and the marks of deletion. */
function keepMetadata(object: KubeObject, old: KubeObject): void {
  const { metadata } = object;
  const kept = [
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "generateName",
  ] as const;
  for (const field of kept) {
    if (field === "generateName") continue;
    if (old.metadata[field] === undefined) delete metadata[field];
    else Object.assign(metadata, { [field]: old.metadata[field] });
  }
  delete metadata.selfLink;
  metadata.resourceVersion ??= old.metadata.resourceVersion ?? "";
}

function keepStatus(object: KubeObject, old: KubeObject): void {
  if (old["status"] === undefined) delete object["status"];
  else object["status"] = cloneJson(old["status"]);
}

/** A write to `status` changes the status; of a built-in object also its metadata, but for what its strategy keeps. */
export function keepAllButStatus(context: ApiContext, { type }: Target, object: KubeObject, old: KubeObject): void {
  const { status, metadata } = object;
  for (const key of Object.keys(object)) if (key !== "status") delete object[key];
  Object.assign(object, cloneJson({ ...old, status: undefined }));
  if (status === undefined) delete object["status"];
  else object["status"] = status;
  const { resourceVersion, managedFields } = metadata;
  if (!type.custom) object.metadata = withKept(metadata, old.metadata, context.strategyOf(type).statusKeeps ?? []);
  else Object.assign(object.metadata, { resourceVersion }, managedFields === undefined ? {} : { managedFields });
}

function withKept(metadata: ObjectMeta, old: ObjectMeta, kept: readonly (readonly string[])[]): ObjectMeta {
  const result: Tree = { ...metadata };
  for (const [, field = ""] of kept) {
    const before = (old as Tree)[field];
    if (before === undefined) delete result[field];
    else result[field] = before;
  }
  return result as ObjectMeta;
}

const notCounted: ReadonlySet<string> = new Set(["metadata", "apiVersion", "kind"]);

function setGeneration(context: ApiContext, { type, subresource }: Target, object: KubeObject, old: KubeObject): void {
  const strategy = context.strategyOf(type);
  if (!strategy.hasGeneration && !type.custom) return;
  const skipsStatus = type.subresources.some(({ name }) => name === "status");
  const counted = (key: string) => !notCounted.has(key) && !(skipsStatus && key === "status");
  const parts = strategy.generationParts ?? [...new Set([...Object.keys(object), ...Object.keys(old)])].filter(counted);
  const annotated =
    strategy.countsAnnotations &&
    subresource === "" &&
    !jsonEquals(object.metadata.annotations, old.metadata.annotations);
  const changed = annotated || parts.some((part) => !jsonEquals(object[part], old[part]));
  const isMarked = Boolean(object.metadata.deletionTimestamp) && !old.metadata.deletionTimestamp;
  if (changed || isMarked) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

/** Of a status only the status is checked. */
function statusProblems({ custom }: ResourceType, object: KubeObject, old: KubeObject): FieldProblem[] {
  const schema = custom?.schema?.properties?.["status"];
  const problems = schema ? validateAt(schema, object["status"] ?? {}, "", old["status"]) : [];
  return problems.map((problem) => ({
    ...problem,
    field: problem.field === "" ? "status" : `status.${problem.field}`,
  }));
}

function check(context: ApiContext, target: Target, object: KubeObject, old: KubeObject): void {
  const { type, subresource } = target;
  const strategy = context.strategyOf(type);
  const nameProblems = strategy.validateName ?? subdomainProblems;
  const own = subresource === "" ? strategy.validate?.(object, old) : strategy.validateStatus?.(object, old);
  const problems = [
    ...metadataProblems(object, { namespaced: type.namespaced, nameProblems }),
    ...(subresource === "" ? customProblems(type, object, old) : statusProblems(type, object, old)),
    ...(own ?? []),
  ];
  if (problems.length > 0) throw invalid(type, target.name, problems);
}
