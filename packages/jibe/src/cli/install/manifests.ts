import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { customResourceDefinitions } from "../../crds/index.ts";
import { accessRules } from "./access-rules.ts";
import type { InstallOptions } from "./install-options.ts";
import { annotationsOf, labels, metricsPort, podLabel } from "./names.ts";
import { serverPods } from "./server-pods.ts";

/** Everything an installation consists of, in the order it is to be made. */
export function installManifests(options: InstallOptions): KubernetesObject[] {
  const { namespace, secretData } = options;
  const meta = (name: string) => ({ name, namespace, labels });
  return [
    ...customResourceDefinitions(),
    {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace, labels: { ...labels, "pod-security.kubernetes.io/enforce": "restricted" } },
    },
    {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { ...meta(options.serviceAccountName), ...annotationsOf(options.serviceAccountAnnotations) },
    },
    ...accessRules(options),
    ...(secretData === undefined
      ? []
      : [
          {
            apiVersion: "v1",
            kind: "Secret",
            metadata: meta("cloud-credentials"),
            type: "Opaque",
            data: { cloud: secretData },
          },
        ]),
    ...locations(options),
    ...serverPods(options),
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: meta("jibe-metrics"),
      spec: { selector: podLabel, ports: [{ name: "metrics", port: metricsPort, targetPort: "metrics" }] },
    },
    networkPolicy(options),
  ];
}

function locations({ namespace, backupLocation, snapshotLocation, secretData }: InstallOptions): KubernetesObject[] {
  const credential = secretData === undefined ? {} : { credential: { name: "cloud-credentials", key: "cloud" } };
  const made: KubernetesObject[] = [];
  if (backupLocation) {
    const { provider, bucket, prefix, config, caCert } = backupLocation;
    made.push({
      apiVersion: "velero.io/v1",
      kind: "BackupStorageLocation",
      metadata: { name: "default", namespace, labels },
      spec: {
        provider,
        default: true,
        objectStorage: { bucket, ...(prefix ? { prefix } : {}), ...(caCert ? { caCert } : {}) },
        ...(Object.keys(config).length > 0 ? { config } : {}),
        ...credential,
      },
    });
  }
  if (snapshotLocation) {
    const { provider, config } = snapshotLocation;
    made.push({
      apiVersion: "velero.io/v1",
      kind: "VolumeSnapshotLocation",
      metadata: { name: "default", namespace, labels },
      spec: { provider, ...(Object.keys(config).length > 0 ? { config } : {}), ...credential },
    });
  }
  return made;
}

/** Only the metrics port takes connections. */
function networkPolicy({ namespace }: InstallOptions): KubernetesObject {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "jibe", namespace, labels },
    spec: {
      podSelector: { matchLabels: podLabel },
      policyTypes: ["Ingress"],
      ingress: [{ ports: [{ port: "metrics", protocol: "TCP" }] }],
    },
  };
}
