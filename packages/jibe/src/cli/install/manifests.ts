import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { customResourceDefinitions } from "../../crds/index.ts";

/** What an installation is to look like. */
export interface InstallOptions {
  readonly namespace: string;
  readonly image: string;
  readonly replicas: number;
  /** Images whose containers copy plugins into the server's plugin folder. */
  readonly plugins: readonly string[];
  readonly serverFlags: readonly string[];
  readonly features: readonly string[];
  readonly secretData?: string | undefined;
  readonly serviceAccountName: string;
  readonly serviceAccountAnnotations: Readonly<Record<string, string>>;
  readonly podAnnotations: Readonly<Record<string, string>>;
  readonly podLabels: Readonly<Record<string, string>>;
  readonly clusterAdmin: boolean;
  readonly resources: {
    readonly cpuRequest: string;
    readonly memRequest: string;
    readonly cpuLimit: string;
    readonly memLimit: string;
  };
  readonly backupLocation?: {
    readonly provider: string;
    readonly bucket: string;
    readonly prefix: string;
    readonly config: Readonly<Record<string, string>>;
    readonly caCert?: string | undefined;
  };
  readonly snapshotLocation?: { readonly provider: string; readonly config: Readonly<Record<string, string>> };
}

const labels = { component: "velero" };
const metricsPort = 8085;

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
    deployment(options),
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: meta("jibe-metrics"),
      spec: { selector: { deploy: "velero" }, ports: [{ name: "metrics", port: metricsPort, targetPort: "metrics" }] },
    },
    networkPolicy(options),
  ];
}

const annotationsOf = (annotations: Readonly<Record<string, string>>) =>
  Object.keys(annotations).length > 0 ? { annotations: { ...annotations } } : {};

/**
 * The least rights that work: backups read everything, restores create and change everything, exec is for hooks. Rights may be granted
 * only by who has them, so the rules for RBAC objects name `escalate` and `bind`.
 */
function accessRules({ namespace, serviceAccountName, clusterAdmin }: InstallOptions): KubernetesObject[] {
  const subjects = [{ kind: "ServiceAccount", name: serviceAccountName, namespace }];
  const binding = (role: string) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: `jibe-${namespace}`, labels },
    subjects,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
  });
  if (clusterAdmin) return [binding("cluster-admin")];
  const name = `jibe-${namespace}`;
  return [
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name, labels },
      rules: [
        { apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch", "create", "update", "patch"] },
        { apiGroups: ["velero.io"], resources: ["*"], verbs: ["*"] },
        { apiGroups: [""], resources: ["pods/exec"], verbs: ["create", "get"] },
        {
          apiGroups: ["rbac.authorization.k8s.io"],
          resources: ["roles", "clusterroles"],
          verbs: ["bind", "escalate"],
        },
        { nonResourceURLs: ["*"], verbs: ["get"] },
      ],
    },
    binding(name),
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "jibe", namespace, labels },
      rules: [{ apiGroups: [""], resources: ["secrets"], verbs: ["delete"] }],
    },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "jibe", namespace, labels },
      subjects,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "jibe" },
    },
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

function deployment(options: InstallOptions): KubernetesObject {
  const { namespace, replicas, podAnnotations, podLabels } = options;
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "velero", namespace, labels },
    spec: {
      replicas,
      selector: { matchLabels: { deploy: "velero" } },
      template: {
        metadata: { labels: { ...labels, deploy: "velero", ...podLabels }, ...annotationsOf(podAnnotations) },
        spec: podSpec(options),
      },
    },
  };
}

function podSpec(options: InstallOptions) {
  const { image, plugins, serverFlags, features, namespace, serviceAccountName, secretData, resources } = options;
  const confined = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } };
  const pluginsMount = { name: "plugins", mountPath: "/plugins" };
  const credentials =
    secretData === undefined ? [] : [{ name: "cloud-credentials", mountPath: "/credentials", readOnly: true }];
  return {
    serviceAccountName,
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
          ...(secretData === undefined ? [] : [{ name: "AWS_SHARED_CREDENTIALS_FILE", value: "/credentials/cloud" }]),
        ],
        readinessProbe: { httpGet: { path: "/readyz", port: "metrics" } },
        livenessProbe: { httpGet: { path: "/livez", port: "metrics" }, periodSeconds: 20 },
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

/** Only the metrics port takes connections. */
function networkPolicy({ namespace }: InstallOptions): KubernetesObject {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "jibe", namespace, labels },
    spec: {
      podSelector: { matchLabels: { deploy: "velero" } },
      policyTypes: ["Ingress"],
      ingress: [{ ports: [{ port: "metrics", protocol: "TCP" }] }],
    },
  };
}
