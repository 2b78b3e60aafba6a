import type { ResourceType } from "../registry/resource-type.ts";
import { type Entry, entryFrom } from "../storage/entry.ts";
import type { ApiContext } from "./context.ts";
import { type KubeObject, listAt } from "./kube-object.ts";

/** Whether nothing holds an object that is marked for deletion any more. */
export function mayGo(type: ResourceType, { metadata, spec }: KubeObject): boolean {
  if (!metadata.deletionTimestamp) return false;
  if ((metadata.finalizers ?? []).length > 0 || (metadata.deletionGracePeriodSeconds ?? 0) > 0) return false;
  return type.bucket !== "namespaces" || listAt(spec, "finalizers").length === 0;
}

/** Removes an object whose last finalizer a write has just taken away; undefined when it stays. Watchers see its last state. */
export function finishDeletion(
  context: ApiContext,
  type: ResourceType,
  { object, old }: { readonly object: KubeObject; readonly old: KubeObject },
): Entry | undefined {
  if (!mayGo(type, object)) return undefined;
  const answer = entryFrom(object, Number(old.metadata.resourceVersion));
  context.store.remove(type.bucket, old);
  return answer;
}
