import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { nanosFrom } from "./quantity.ts";

/** What volume policies look at, gathered from a persistent volume, a pod's volume and a claim. */
export interface VolumeFacts {
  /** As `nanosFrom` gives it; 0 when unknown. */
  readonly capacity: bigint;
  readonly storageClass: string;
  readonly nfs?: { readonly server: string; readonly path: string };
  readonly csi?: { readonly driver: string; readonly volumeAttributes: Readonly<Record<string, string>> };
  /** The source's name: `nfs`, `csi`, `awsElasticBlockStore`, … */
  readonly volumeType: string;
  readonly claimLabels: Readonly<Record<string, string>>;
  readonly claimPhase: string;
  readonly claimVolumeMode: string;
  readonly claimAccessModes: readonly string[];
}

/** A pod's volume, as it stands in the pod's spec. */
export interface PodVolume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName?: string };
  readonly [source: string]: unknown;
}

export interface VolumeFactsInput {
  readonly volume?: KubernetesObject | undefined;
  readonly podVolume?: PodVolume | undefined;
  readonly claim?: KubernetesObject | undefined;
}

const sources = [
  "awsElasticBlockStore",
  "azureDisk",
  "azureFile",
  "cephfs",
  "cinder",
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "fc",
  "flexVolume",
  "flocker",
  "gcePersistentDisk",
  "gitRepo",
  "glusterfs",
  "hostPath",
  "iscsi",
  "local",
  "nfs",
  "photonPersistentDisk",
  "portworxVolume",
  "projected",
  "quobyte",
  "rbd",
  "scaleIO",
  "secret",
  "storageos",
  "vsphereVolume",
];

/** Gathers the facts. Source and capacity come from the persistent volume, else from the pod's volume. */
export function volumeFacts({ volume, podVolume, claim }: VolumeFactsInput): VolumeFacts {
  const spec = record(volume?.["spec"]);
  const source = volume ? spec : record(podVolume);
  const nfs = source["nfs"] === undefined ? undefined : record(source["nfs"]);
  const csi = source["csi"] === undefined ? undefined : record(source["csi"]);
  const claimSpec = record(claim?.["spec"]);
  return {
    capacity: capacityOf(record(spec["capacity"])["storage"]),
    storageClass: text(spec["storageClassName"]),
    ...(nfs ? { nfs: { server: text(nfs["server"]), path: text(nfs["path"]) } } : {}),
    ...(csi ? { csi: { driver: text(csi["driver"]), volumeAttributes: texts(csi["volumeAttributes"]) } } : {}),
    volumeType: typeOf(source),
    claimLabels: claim?.metadata.labels ?? {},
    claimPhase: text(record(claim?.["status"])["phase"]),
    claimVolumeMode: text(claimSpec["volumeMode"]),
    claimAccessModes: Array.isArray(claimSpec["accessModes"]) ? claimSpec["accessModes"].map(text) : [],
  };
}

function typeOf(source: Readonly<Record<string, unknown>>): string {
  const name = sources.find((candidate) => source[candidate] !== undefined && source[candidate] !== null) ?? "";
  return name === "storageos" ? "storageOS" : name;
}

function capacityOf(value: unknown): bigint {
  return typeof value === "string" || typeof value === "number" ? nanosFrom(String(value)) : 0n;
}

export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function texts(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(record(value)).map(([key, item]) => [key, text(item)]));
}
