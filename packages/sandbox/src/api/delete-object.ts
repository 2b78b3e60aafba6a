import { apiVersionOf } from "../registry/resource-type.ts";
import { objectOf } from "../storage/entry.ts";
import { conflict, forbidden } from "./api-error.ts";
import type { ApiContext, Target } from "./context.ts";
import { findEntry, type Written } from "./create-object.ts";
import { mayGo } from "./finish-deletion.ts";
import { type KubeObject, timeText } from "./kube-object.ts";

export type Propagation = "Background" | "Foreground" | "Orphan";

/** How a deletion was asked for, from the query and the body. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: Propagation | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly dryRun: boolean;
}

/** What a deletion left: the object, still there or as it was, and whether it is gone. */
export type Deleted = Written & { readonly isGone: boolean };

/** Deletes an object: at once, or marks it when a finalizer or a grace period holds it. */
export function deleteObject(context: ApiContext, target: Target, options: DeleteOptions): Deleted {
  const { type, name } = target;
  const strategy = context.strategyOf(type);
  const why = strategy.forbidsDelete?.(name);
  if (why !== undefined) throw forbidden(type, name, why);
  const entry = findEntry(context, target);
  const object = objectOf(entry);
  object.apiVersion = apiVersionOf(type);
  object.kind = type.kind;
  checkPreconditions(target, object, options);
  const before = JSON.stringify(object);
  const finalizers = finalizersAfter(context, target, object, options);
  if (finalizers.length > 0) object.metadata.finalizers = finalizers;
  else delete object.metadata.finalizers;
  if (strategy.markDeleted) strategy.markDeleted(object, context);
  else mark(context, object, strategy.graceSeconds?.(object, options.gracePeriodSeconds));
  if (mayGo(type, object)) {
    const gone = JSON.parse(before) as KubeObject;
    if (options.dryRun) return { object: gone, isGone: true };
    if (strategy.graceSeconds) Object.assign(gone.metadata, object.metadata);
    return { entry: context.store.remove(type.bucket, gone), isGone: true };
  }
  if (JSON.stringify(object) === before) return { entry, isGone: false };
  if (options.dryRun) return { object, isGone: false };
  return { entry: context.store.commit(type.bucket, object), isGone: false };
}

function checkPreconditions(
  { type, name }: Target,
  { metadata }: KubeObject,
  { uid, resourceVersion }: DeleteOptions,
): void {
  const subject = { group: type.group, plural: type.kind };
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw conflict(subject, name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw conflict(subject, name, why);
  }
}

const cascading: Readonly<Record<string, string>> = { Foreground: "foregroundDeletion", Orphan: "orphan" };

/** The finalizers through which the garbage collector is asked to wait for dependents or to let them be. */
function finalizersAfter(
  context: ApiContext,
  { type }: Target,
  { metadata }: KubeObject,
  options: DeleteOptions,
): string[] {
  const current = metadata.finalizers ?? [];
  const policy = options.propagationPolicy ?? (context.strategyOf(type).defaultPropagation as Propagation | undefined);
  if (policy === undefined) return current;
  const others = current.filter((finalizer) => finalizer !== "orphan" && finalizer !== "foregroundDeletion");
  const wanted = cascading[policy];
  if (wanted === undefined) return options.propagationPolicy === undefined ? current : others;
  return current.includes(wanted) ? current : [...others, wanted];
}

function mark(context: ApiContext, { metadata }: KubeObject, grace: number | undefined): void {
  const seconds = grace ?? 0;
  const wasMarked = Boolean(metadata.deletionTimestamp);
  if (!wasMarked) {
    metadata.deletionTimestamp = timeText(new Date(context.clock.now().getTime() + seconds * 1000));
    if (metadata.generation !== undefined) metadata.generation += 1;
    metadata.deletionGracePeriodSeconds = seconds;
  } else if (grace !== undefined && seconds < (metadata.deletionGracePeriodSeconds ?? 0)) {
    metadata.deletionGracePeriodSeconds = seconds;
  }
}
