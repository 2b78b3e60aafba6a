import { AppError, type Scope } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { record, text } from "../policies/volume-facts.ts";

/** Finds an object by its place, in what was collected or else in the cluster; fails with `NotFound`. */
export type ObjectLookup = (
  place: { readonly groupResource: string; readonly namespace: string; readonly name: string },
  scope: Scope,
) => Promise<KubernetesObject>;

/** The volume bound to a claim. A claim without one fails with a text that says why. */
export async function volumeOfClaim(
  claim: KubernetesObject,
  lookup: ObjectLookup,
  scope: Scope,
): Promise<KubernetesObject> {
  const { namespace = "", name } = claim.metadata;
  const volumeName = text(record(claim["spec"])["volumeName"]);
  const phase = text(record(claim["status"])["phase"]);
  if (volumeName === "") {
    throw new AppError("NotFound", `PVC ${namespace}/${name} has no volume backing this claim`);
  }
  if (phase !== "Bound") {
    throw new AppError("NotFound", `PVC ${namespace}/${name} is in phase ${phase} and is not bound to a volume`);
  }
  try {
    return await lookup({ groupResource: "persistentvolumes", namespace: "", name: volumeName }, scope);
  } catch (cause) {
    scope.signal.throwIfAborted();
    throw new AppError("NotFound", `failed to get PV ${volumeName} for PVC ${namespace}/${name}`, { cause });
  }
}
