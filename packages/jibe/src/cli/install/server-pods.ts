import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import type { InstallOptions } from "./install-options.ts";
import { labels, metricsPort, podLabel } from "./names.ts";

/** Where the plugins of the large clouds look for credentials; Velero sets the same. */
const credentialVariables = [
  "AWS_SHARED_CREDENTIALS_FILE",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "AZURE_CREDENTIALS_FILE",
  "ALIBABA_CLOUD_CREDENTIALS_FILE",
];
/** What many a Prometheus goes by. */
const scraped = {
  "prometheus.io/scrape": "true",
  "prometheus.io/port": String(metricsPort),
  "prometheus.io/path": "/metrics",
};

/** The server's deployment and, where several stand by for each other, the promise that one is left when nodes are drained. */
export function serverPods(options: InstallOptions): KubernetesObject[] {
  return [deployment(options), ...(options.replicas > 1 ? [disruptionBudget(options)] : [])];
}

function disruptionBudget({ namespace }: InstallOptions): KubernetesObject {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "jibe", namespace, labels },
    spec: { maxUnavailable: 1, selector: { matchLabels: podLabel } },
  };
}

function deployment(options: InstallOptions): KubernetesObject {
  const { namespace, replicas, podAnnotations, podLabels } = options;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "velero", namespace, labels },
    spec: {
      replicas,
      selector: { matchLabels: podLabel },
      template: {
        metadata: { labels: { ...labels, ...podLabel, ...podLabels }, annotations: { ...scraped, ...podAnnotations } },
        spec: podSpec(options),
      },
    },
  };
}

function podSpec(options: InstallOptions) {
  const { image, plugins, serverFlags, features, namespace, serviceAccountName, secretData, resources } = options;
  const { priorityClassName } = options;
  const confined = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } };
  const pluginsMount = { name: "plugins", mountPath: "/plugins" };
  const credentials =
    secretData === undefined ? [] : [{ name: "cloud-credentials", mountPath: "/credentials", readOnly: true }];
  return {
    serviceAccountName,
    enableServiceLinks: false,
    ...(priorityClassName ? { priorityClassName } : {}),
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "kubernetes.io/hostname",
        whenUnsatisfiable: "ScheduleAnyway",
        labelSelector: { matchLabels: podLabel },
      },
    ],
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      fsGroup: 65532,
      seccompProfile: { type: "RuntimeDefault" },
    },
    initContainers: plugins.map((plugin) => ({
      name: containerName(plugin),
      image: plugin,
      securityContext: confined,
      volumeMounts: [{ name: "plugins", mountPath: "/target" }],
    })),
    containers: [
      {
        name: "velero",
        image,
        args: ["server", ...(features.length > 0 ? [`--features=${features.join(",")}`] : []), ...serverFlags],
        ports: [{ name: "metrics", containerPort: metricsPort }],
        env: [
          { name: "VELERO_NAMESPACE", value: namespace },
          { name: "VELERO_SCRATCH_DIR", value: "/scratch" },
          { name: "LD_LIBRARY_PATH", value: "/plugins" },
          ...(secretData === undefined
            ? []
            : credentialVariables.map((name) => ({ name, value: "/credentials/cloud" }))),
        ],
        // A server hard at work may take a moment to answer.
        readinessProbe: { httpGet: { path: "/readyz", port: "metrics" }, timeoutSeconds: 5 },
        livenessProbe: { httpGet: { path: "/livez", port: "metrics" }, periodSeconds: 20, timeoutSeconds: 5 },
        resources: {
          requests: { cpu: resources.cpuRequest, memory: resources.memRequest },
          limits: { cpu: resources.cpuLimit, memory: resources.memLimit },
        },
        securityContext: confined,
        volumeMounts: [
          pluginsMount,
          { name: "scratch", mountPath: "/scratch" },
          { name: "tmp", mountPath: "/tmp" },
          ...credentials,
        ],
      },
    ],
    volumes: [
      { name: "plugins", emptyDir: {} },
      { name: "scratch", emptyDir: {} },
      { name: "tmp", emptyDir: {} },
      ...(secretData === undefined ? [] : [{ name: "cloud-credentials", secret: { secretName: "cloud-credentials" } }]),
    ],
  };
}

/** A container's name from its image's: the last part without tag, as Velero names them. */
export function containerName(image: string): string {
  return image
    .replace(/@.*$/, "")
    .replace(/:[^/:]*$/, "")
    .replace(/^[^/]*[.:][^/]*\//, "")
    .replace(/[^a-z0-9]+/gi, "-")
    .toLowerCase()
    .slice(0, 63);
}
