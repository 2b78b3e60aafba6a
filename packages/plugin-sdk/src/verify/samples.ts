import type { KubernetesObject } from "../contracts/index.ts";

const encoder = new TextEncoder();
const json = (value: object) => encoder.encode(JSON.stringify(value));

const kinds: Readonly<Record<string, Pick<KubernetesObject, "apiVersion" | "kind">>> = {
  pods: { apiVersion: "v1", kind: "Pod" },
  persistentvolumeclaims: { apiVersion: "v1", kind: "PersistentVolumeClaim" },
  persistentvolumes: { apiVersion: "v1", kind: "PersistentVolume" },
  secrets: { apiVersion: "v1", kind: "Secret" },
  services: { apiVersion: "v1", kind: "Service" },
  deployments: { apiVersion: "apps/v1", kind: "Deployment" },
};

const configMap = { apiVersion: "v1", kind: "ConfigMap" };

/** An item of a kind that the action asked for, if it is a common one. */
export function sampleItem(includedResources: readonly string[] = []): Uint8Array {
  const [resource = ""] = includedResources;
  const type = kinds[resource.split(".")[0] ?? ""] ?? configMap;
  const metadata = { name: "verify-sample", namespace: "verify", uid: "00000000-0000-0000-0000-000000000001" };
  return json({ ...type, metadata, spec: {} });
}

/** Three MiB: near the largest message that Go plugins accept, and more than gRPC's usual half. */
export function bigItem(): Uint8Array {
  const metadata = { name: "verify-big", namespace: "verify" };
  return json({ ...configMap, metadata, data: { text: "x".repeat(3 * 1024 * 1024) } });
}

export const samplePersistentVolume: KubernetesObject = {
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name: "verify-sample" },
  spec: {},
};

const resource = (kind: string) =>
  json({
    apiVersion: "velero.io/v1",
    kind,
    metadata: { name: "verify", namespace: "velero" },
    spec: {},
    status: { phase: "InProgress" },
  });

export const sampleBackup = resource("Backup");
export const sampleRestore = resource("Restore");
