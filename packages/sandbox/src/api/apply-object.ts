import { ApplyConflict } from "../apply/apply-conflict.ts";
import { applyServerSide } from "../apply/apply-server-side.ts";
import { PatchError } from "../patch/patch-error.ts";
import { required } from "../schema/field-error.ts";
import { keyOf } from "../storage/entry.ts";
import { ApiError, badRequest, conflict, invalid, modifiedText, notFound } from "./api-error.ts";
import type { ApiContext, Target, WriteOptions } from "./context.ts";
import { storedForm, storeNew, type Written } from "./create-object.ts";
import { decodePatched } from "./decode-object.ts";
import { type KubeObject, type Tree, textAt } from "./kube-object.ts";
import { checkNamespaceTakesObjects } from "./namespace-check.ts";
import { checkIdentity, patchFailed } from "./patch-object.ts";
import { writeContextOf } from "./track-fields.ts";
import { liveObject, replaceObject } from "./update-object.ts";
import { metadataUpdateProblems } from "./update-problems.ts";

/** Applies a configuration: creates the object, or merges what the manager wants into what others set. */
export function applyObject(
  context: ApiContext,
  target: Target,
  { applied, force }: { readonly applied: Tree; readonly force: boolean },
  options: WriteOptions & { readonly isManagerGiven: boolean },
): Written & { readonly created?: true } {
  const { type, name } = target;
  if (!options.isManagerGiven) {
    throw invalid({ group: "meta.k8s.io", kind: "PatchOptions" }, "", [
      required("fieldManager", "is required for apply patch"),
    ]);
  }
  const entry = context.store.get(type.bucket, keyOf(type.namespaced ? target.namespace : "", name));
  if (!entry && target.subresource !== "") throw notFound(type, name);
  const live = entry && liveObject(target, entry);
  const merged = merge(context, target, { applied, force, live }, options);
  const object = decodePatched(context, type, merged, options);
  if (!entry || !live) {
    if (type.namespaced) object.metadata.namespace ??= target.namespace;
    checkIdentity(target, object, undefined);
    const problems = metadataUpdateProblems(object, { metadata: {} });
    if (problems.length > 0) throw invalid(type, name, problems);
    delete object.metadata.resourceVersion;
    checkNamespaceTakesObjects(context, target, name);
    return { ...storeNew(context, target, storedForm(type, object), options), created: true };
  }
  checkIdentity(target, object, live);
  if (object.metadata.resourceVersion !== String(entry.revision)) throw conflict(type, name, modifiedText);
  return replaceObject(context, target, { object: storedForm(type, object), entry }, options);
}

function merge(
  context: ApiContext,
  target: Target,
  { applied, force, live }: { readonly applied: Tree; readonly force: boolean; readonly live: KubeObject | undefined },
  options: WriteOptions,
): Tree {
  const { type, namespace } = target;
  const { empty, ...write } = writeContextOf(context, target, options);
  checkNamespace(applied, type.namespaced ? namespace : "");
  try {
    const { object, managedFields } = applyServerSide({
      ...write,
      kind: type.kind,
      live: (live as Tree | undefined) ?? empty,
      applied,
      force,
    });
    const metadata = { ...(object["metadata"] as Tree | undefined), ...(managedFields ? { managedFields } : {}) };
    return { ...object, metadata };
  } catch (error) {
    if (error instanceof ApplyConflict) throw new ApiError(409, "Conflict", error.message, { causes: error.causes });
    if (error instanceof PatchError) throw patchFailed(error);
    throw error;
  }
}

/** A configuration need not say where it belongs, but must not contradict the path. */
function checkNamespace(applied: Tree, namespace: string): void {
  const given = textAt(applied, "metadata", "namespace");
  if (given !== "" && given !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}
