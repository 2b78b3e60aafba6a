import { cloneJson, type LabelSelector, matchesLabels } from "@jibe/base";
import { at, objectAt, textAt, textsAt } from "../printing/read.ts";
import type { ClusterPort, KubeObject } from "./cluster-port.ts";
import type { Reconciler } from "./controller.ts";
import { isGoing, labelsOf, namespaceOf, withStatus } from "./owned.ts";
import { claimsOf } from "./pod.ts";
import { isFinished } from "./pod-state.ts";
import { defaultClass, provisioner } from "./storage-class.ts";
import { claimedBy, provisionVolume } from "./volume.ts";
import type { VolumeDirectories } from "./volume-directories.ts";

const protection = "kubernetes.io/pvc-protection";

/** Binds a claim to the volume it names, to one that waits for it, or to a new directory of its class. */
export const claimReconciler =
  (directories: VolumeDirectories): Reconciler =>
  ({ port }, claim) => {
    if (isGoing(claim)) return releaseClaim(port, claim);
    const volume = volumeFor(port, claim, directories);
    if (!volume) return;
    const bound = bindVolume(port, volume, claim);
    const named = nameVolume(port, claim, bound);
    const status = {
      phase: "Bound",
      accessModes: textsAt(bound, "spec.accessModes"),
      capacity: objectAt(bound, "spec.capacity"),
    };
    port.updateStatus("persistentvolumeclaims", withStatus(named, status));
  };

function volumeFor(port: ClusterPort, claim: KubeObject, directories: VolumeDirectories): KubeObject | undefined {
  const named = textAt(claim, "spec.volumeName");
  if (named !== "") {
    const volume = port.get("persistentvolumes", "", named);
    return volume && mayBind(volume, claim) ? volume : undefined;
  }
  const volumes = port.list("persistentvolumes").filter((volume) => !isGoing(volume));
  const reserved = volumes.find((volume) => at(volume, "spec.claimRef") !== undefined && mayBind(volume, claim));
  const free = volumes.find((volume) => at(volume, "spec.claimRef") === undefined && fits(volume, claim));
  return reserved ?? free ?? provisionFor(port, claim, directories);
}

/** A volume without a claim, or reserved for this one; a reservation may leave the uid out. */
function mayBind(volume: KubeObject, claim: KubeObject): boolean {
  if (at(volume, "spec.claimRef") === undefined) return true;
  const uid = textAt(volume, "spec.claimRef.uid");
  return claimedBy(volume, claim) && (uid === "" || uid === claim.metadata.uid);
}

function fits(volume: KubeObject, claim: KubeObject): boolean {
  const selector = objectAt(claim, "spec.selector") as LabelSelector;
  const offered = textsAt(volume, "spec.accessModes");
  return (
    textAt(volume, "spec.storageClassName") === textAt(claim, "spec.storageClassName") &&
    textsAt(claim, "spec.accessModes").every((mode) => offered.includes(mode)) &&
    matchesLabels(selector, labelsOf(volume)) &&
    sizeOf(at(volume, "spec.capacity.storage")) >= sizeOf(at(claim, "spec.resources.requests.storage")) &&
    textAt(volume, "status.phase") === "Available"
  );
}

const units: Readonly<Record<string, number>> = {
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
};

/** Bytes in a quantity such as `1Gi`; 0 for what is none. */
function sizeOf(quantity: unknown): number {
  const match = /^(\d+(?:\.\d+)?)([KMGTP]i|[kMGTP])?$/.exec(String(quantity ?? ""));
  return Number(match?.[1] ?? 0) * (units[match?.[2] ?? ""] ?? 0);
}

function provisionFor(port: ClusterPort, claim: KubeObject, directories: VolumeDirectories): KubeObject | undefined {
  const className = at(claim, "spec.storageClassName");
  const storageClass =
    typeof className === "string" ? port.get("storageclasses.storage.k8s.io", "", className) : defaultClass(port);
  if (!storageClass || textAt(storageClass, "provisioner") !== provisioner) return undefined;
  return provisionVolume(port, { claim, storageClass, directories });
}

function bindVolume(port: ClusterPort, volume: KubeObject, claim: KubeObject): KubeObject {
  const { namespace = "", name, uid = "" } = claim.metadata;
  const isOurs = claimedBy(volume, claim) && textAt(volume, "spec.claimRef.uid") === uid;
  const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid };
  const copy = cloneJson(volume);
  const bound = isOurs
    ? volume
    : port.update("persistentvolumes", { ...copy, spec: { ...objectAt(copy, "spec"), claimRef } });
  if (textAt(bound, "status.phase") === "Bound") return bound;
  return port.updateStatus("persistentvolumes", withStatus(bound, { ...objectAt(bound, "status"), phase: "Bound" }));
}

function nameVolume(port: ClusterPort, claim: KubeObject, volume: KubeObject): KubeObject {
  const notes = { "pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes" };
  const isNamed = textAt(claim, "spec.volumeName") === volume.metadata.name;
  const isNoted = claim.metadata.annotations?.["pv.kubernetes.io/bind-completed"] === "yes";
  if (isNamed && isNoted) return claim;
  const copy = cloneJson(claim);
  const own = isNamed ? { "pv.kubernetes.io/bind-completed": "yes" } : notes;
  return port.update("persistentvolumeclaims", {
    ...copy,
    metadata: { ...copy.metadata, annotations: { ...copy.metadata.annotations, ...own } },
    spec: { ...objectAt(copy, "spec"), volumeName: volume.metadata.name },
  });
}

/** A claim that is being deleted goes once no pod uses it. */
function releaseClaim(port: ClusterPort, claim: KubeObject): void {
  const finalizers = claim.metadata.finalizers ?? [];
  if (!finalizers.includes(protection)) return;
  const users = port.list("pods", namespaceOf(claim)).filter((pod) => !isFinished(pod));
  if (users.some((pod) => claimsOf(pod).includes(claim.metadata.name))) return;
  const copy = cloneJson(claim);
  const left = finalizers.filter((finalizer) => finalizer !== protection);
  port.update("persistentvolumeclaims", { ...copy, metadata: { ...copy.metadata, finalizers: left } });
}
