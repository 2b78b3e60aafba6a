import { cloneJson } from "@jibe/base";
import { at, objectAt, textAt, textsAt } from "../printing/read.ts";
import type { ClusterPort, KubeObject } from "./cluster-port.ts";
import type { Reconciler } from "./controller.ts";
import { hostnameLabel, nodeName } from "./node.ts";
import { isGoing, withStatus } from "./owned.ts";
import { provisioner } from "./storage-class.ts";
import type { VolumeDirectories } from "./volume-directories.ts";

const protection = "kubernetes.io/pv-protection";
const provisionedBy = "pv.kubernetes.io/provisioned-by";

/** Whether a volume is bound to, or reserved for, a claim of this name. */
export const claimedBy = (volume: KubeObject, { metadata }: KubeObject) =>
  textAt(volume, "spec.claimRef.name") === metadata.name &&
  textAt(volume, "spec.claimRef.namespace") === (metadata.namespace ?? "");

interface Provisioning {
  readonly claim: KubeObject;
  readonly storageClass: KubeObject;
  readonly directories: VolumeDirectories;
}

/** A new volume for a claim, with a directory of its own. */
export function provisionVolume(port: ClusterPort, { claim, storageClass, directories }: Provisioning): KubeObject {
  const { namespace = "", name, uid = "" } = claim.metadata;
  const volume = `pvc-${uid}`;
  const found = port.get("persistentvolumes", "", volume);
  if (found) return found;
  const terms = [{ matchExpressions: [{ key: hostnameLabel, operator: "In", values: [nodeName] }] }];
  return port.create("persistentvolumes", {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: volume, annotations: { [provisionedBy]: provisioner } },
    spec: {
      capacity: { storage: at(claim, "spec.resources.requests.storage") },
      accessModes: textsAt(claim, "spec.accessModes"),
      persistentVolumeReclaimPolicy: textAt(storageClass, "reclaimPolicy") || "Delete",
      storageClassName: storageClass.metadata.name,
      volumeMode: textAt(claim, "spec.volumeMode") || "Filesystem",
      local: { path: directories.create(volume) },
      nodeAffinity: { required: { nodeSelectorTerms: terms } },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid },
    },
  });
}

/** A volume's phase follows its claim; what is released and not to be kept goes with its directory. */
export const volumeReconciler =
  (directories: VolumeDirectories): Reconciler =>
  ({ port }, volume) => {
    const claim = claimOf(port, volume);
    if (isGoing(volume)) return releaseVolume(port, volume, claim);
    const phase = phaseFor(volume, claim);
    const isNew = textAt(volume, "status.phase") !== phase;
    if (isNew) port.updateStatus("persistentvolumes", withStatus(volume, { ...objectAt(volume, "status"), phase }));
    const isOurs = volume.metadata.annotations?.[provisionedBy] === provisioner;
    if (phase !== "Released" || textAt(volume, "spec.persistentVolumeReclaimPolicy") !== "Delete" || !isOurs) return;
    directories.remove(volume.metadata.name);
    port.delete("persistentvolumes", volume.metadata);
  };

function claimOf(port: ClusterPort, volume: KubeObject): KubeObject | undefined {
  const [namespace, name] = [textAt(volume, "spec.claimRef.namespace"), textAt(volume, "spec.claimRef.name")];
  const claim = name === "" ? undefined : port.get("persistentvolumeclaims", namespace, name);
  const uid = textAt(volume, "spec.claimRef.uid");
  return claim && (uid === "" || uid === claim.metadata.uid) ? claim : undefined;
}

function phaseFor(volume: KubeObject, claim: KubeObject | undefined): string {
  if (claim && textAt(claim, "spec.volumeName") === volume.metadata.name) return "Bound";
  const wasBound = textAt(volume, "spec.claimRef.uid") !== "" && !claim;
  return wasBound ? "Released" : "Available";
}

function releaseVolume(port: ClusterPort, volume: KubeObject, claim: KubeObject | undefined): void {
  const finalizers = volume.metadata.finalizers ?? [];
  const isInUse = claim !== undefined && textAt(claim, "spec.volumeName") === volume.metadata.name;
  if (isInUse || !finalizers.includes(protection)) return;
  const copy = cloneJson(volume);
  const left = finalizers.filter((finalizer) => finalizer !== protection);
  port.update("persistentvolumes", { ...copy, metadata: { ...copy.metadata, finalizers: left } });
}
