import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { textAt, withoutAnnotations, withoutValue, withValue } from "./object-edits.ts";
import type { RestoreFilters } from "./restore-filters.ts";

/** The volume with its claim's namespace as the restore maps it. */
export function withMappedClaim(
  volume: KubernetesObject,
  filters: Pick<RestoreFilters, "targetNamespace">,
): KubernetesObject {
  const namespace = textAt(volume, "spec", "claimRef", "namespace");
  const target = filters.targetNamespace(namespace);
  return namespace === "" || target === namespace
    ? volume
    : withValue(volume, ["spec", "claimRef", "namespace"], target);
}

/** The volume or claim without what binds it to the other as they were; the cluster binds them anew. */
export function resetBinding(object: KubernetesObject): KubernetesObject {
  const unbound = withoutValue(withoutValue(object, ["spec", "claimRef", "uid"]), [
    "spec",
    "claimRef",
    "resourceVersion",
  ]);
  return withoutAnnotations(unbound, "pv.kubernetes.io/bind-completed", "pv.kubernetes.io/bound-by-controller");
}
