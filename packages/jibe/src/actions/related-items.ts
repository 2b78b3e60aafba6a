import type { KubernetesObject, ResourceIdentifier } from "@jibe/plugin-sdk/contracts";
import { fieldsOf, listOf, textOf } from "./object-fields.ts";

/** What a pod cannot do without: its priority class and its claims. */
export function relatedToPod(pod: KubernetesObject): ResourceIdentifier[] {
  return [...priorityClassOf(pod), ...claimItemsOf(pod)];
}

export function priorityClassOf(pod: KubernetesObject): ResourceIdentifier[] {
  const name = textOf(fieldsOf(pod["spec"])["priorityClassName"]);
  return name === "" ? [] : [{ groupResource: "priorityclasses.scheduling.k8s.io", name }];
}

export function claimItemsOf(pod: KubernetesObject): ResourceIdentifier[] {
  const namespace = pod.metadata.namespace ?? "";
  return claimsOfPod(pod).map((name) => ({ groupResource: "persistentvolumeclaims", namespace, name }));
}

/** The names of the claims that a pod's volumes mount. */
export function claimsOfPod(pod: KubernetesObject): string[] {
  const names = listOf(fieldsOf(pod["spec"])["volumes"]).map((volume) =>
    textOf(fieldsOf(volume["persistentVolumeClaim"])["claimName"]),
  );
  return names.filter((name) => name !== "");
}

/** The volume of a claim, provided that the claim is bound. */
export function relatedToClaim(claim: KubernetesObject): ResourceIdentifier[] {
  const name = textOf(fieldsOf(claim["spec"])["volumeName"]);
  const isBound = fieldsOf(claim["status"])["phase"] === "Bound";
  return isBound && name !== "" ? [{ groupResource: "persistentvolumes", name }] : [];
}
