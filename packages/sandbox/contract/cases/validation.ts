import type { Cases, RequestStep } from "../contract-case.ts";
import {
  apps,
  claim,
  configMap,
  container,
  core,
  deployment,
  pod,
  secret,
  service,
  template,
  volume,
} from "./objects.ts";

const post = (kind: string, body: object): RequestStep => ({ send: `POST ${core}/${kind}`, body });
const cm = (name: string, more: object = {}) => post("configmaps", configMap(name, {}, more));
const long = (length: number) => "a".repeat(length);

/** What is refused, and the words for it. */
export const validation: Cases = {
  "names of most objects": [cm("Upper"), cm("under_score"), cm("-dash"), cm("dot."), cm(long(254)), cm("a/b")],
  "names of services": [
    post("services", service("1a")),
    post("services", service("a.b")),
    post("services", service(long(64))),
  ],
  "names of namespaces": [
    { send: "POST /api/v1/namespaces", body: { apiVersion: "v1", kind: "Namespace", metadata: { name: "a.b" } } },
    { send: "POST /api/v1/namespaces", body: { apiVersion: "v1", kind: "Namespace", metadata: { name: long(64) } } },
  ],
  "names of roles": [
    {
      send: "POST /apis/rbac.authorization.k8s.io/v1/namespaces/ID/roles",
      body: { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "a/b" } },
    },
    {
      send: "POST /apis/rbac.authorization.k8s.io/v1/namespaces/ID/roles",
      body: { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "." } },
    },
  ],
  labels: [
    cm("a", { labels: { "bad key": "x" } }),
    cm("a", { labels: { k: "bad value!" } }),
    cm("a", { labels: { "a/b/c": "x" } }),
    cm("a", { labels: { [long(64)]: "x" } }),
    cm("a", { labels: { k: long(64) } }),
    cm("a", { labels: { "Bad.Prefix/k": "x" } }),
  ],
  annotations: [cm("a", { annotations: { "bad key": "x" } }), cm("a", { annotations: { big: "x".repeat(262145) } })],
  finalizers: [cm("a", { finalizers: ["noprefix"] }), cm("a", { finalizers: ["bad finalizer/x"] })],
  "owner references": [
    cm("a", { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "o" }] }),
    cm("a", { ownerReferences: [{ apiVersion: "", kind: "", name: "", uid: "u" }] }),
    cm("a", {
      ownerReferences: [
        { apiVersion: "v1", kind: "A", name: "a", uid: "1", controller: true },
        { apiVersion: "v1", kind: "B", name: "b", uid: "2", controller: true },
      ],
    }),
  ],
  "keys of config maps and secrets": [
    post("configmaps", configMap("a", { "bad key": "x" })),
    post("configmaps", configMap("a", { "": "x" })),
    post("secrets", secret("a", { data: { "bad/key": "" } })),
  ],
  "base64 in secrets": [post("secrets", secret("a", { data: { k: "not base64!" } }))],
  "a config map that is immutable": [
    { ...post("configmaps", { ...configMap("a"), immutable: true }), ignored: true },
    { send: `PATCH ${core}/configmaps/a`, as: "merge", body: { data: { a: "2" } } },
    { send: `PATCH ${core}/configmaps/a`, as: "merge", body: { immutable: false } },
    { send: `PATCH ${core}/configmaps/a`, as: "merge", body: { metadata: { labels: { x: "y" } } } },
  ],
  "a secret keeps its type": [
    { ...post("secrets", secret("a")), ignored: true },
    { send: `PATCH ${core}/secrets/a`, as: "merge", body: { type: "example.com/other" } },
  ],
  "secrets of known types": [
    post("secrets", secret("a", { type: "kubernetes.io/tls" })),
    post("secrets", secret("b", { type: "kubernetes.io/dockerconfigjson", data: { ".dockerconfigjson": "e30=" } })),
    post("secrets", secret("c", { type: "kubernetes.io/dockerconfigjson" })),
    post("secrets", secret("d", { type: "kubernetes.io/service-account-token" })),
  ],
  "a pod without containers": [
    post("pods", pod("a", { containers: [] })),
    post("pods", { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } }),
  ],
  containers: [
    post("pods", pod("a", { containers: [{ image: "x" }] })),
    post("pods", pod("a", { containers: [{ name: "x" }] })),
    post("pods", pod("a", { containers: [container("Bad_Name")] })),
    post("pods", pod("a", { containers: [container("x"), container("x")] })),
    post("pods", pod("a", { containers: [container("x", { imagePullPolicy: "Sometimes" })] })),
  ],
  "ports of containers": [
    post("pods", pod("a", { containers: [container("x", { ports: [{ containerPort: 0 }] })] })),
    post("pods", pod("a", { containers: [container("x", { ports: [{ containerPort: 70000 }] })] })),
    post("pods", pod("a", { containers: [container("x", { ports: [{ containerPort: 80, protocol: "HTTP" }] })] })),
  ],
  "environment of containers": [
    post("pods", pod("a", { containers: [container("x", { env: [{ value: "x" }] })] })),
    post(
      "pods",
      pod("a", {
        containers: [
          container("x", { env: [{ name: "A", value: "v", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] }),
        ],
      }),
    ),
  ],
  "resources of containers": [
    post(
      "pods",
      pod("a", { containers: [container("x", { resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } })] }),
    ),
    post("pods", pod("a", { containers: [container("x", { resources: { limits: { cpu: "lots" } } })] })),
    post("pods", pod("a", { containers: [container("x", { resources: { limits: { memory: "-1" } } })] })),
  ],
  "volumes of pods": [
    post("pods", pod("a", { containers: [container("x", { volumeMounts: [{ name: "none", mountPath: "/x" }] })] })),
    post("pods", pod("a", { volumes: [{ name: "v" }, { name: "v" }] })),
    post("pods", pod("a", { volumes: [{ name: "v", emptyDir: {}, hostPath: { path: "/x" } }] })),
    post("pods", pod("a", { volumes: [{ emptyDir: {} }] })),
  ],
  "policies of pods": [
    post("pods", pod("a", { restartPolicy: "Maybe" })),
    post("pods", pod("a", { dnsPolicy: "Bogus" })),
    post("pods", pod("a", { terminationGracePeriodSeconds: -1 })),
  ],
  "a pod keeps its spec": [
    { ...post("pods", pod("a")), ignored: true },
    {
      send: `PATCH ${core}/pods/a`,
      as: "strategic",
      body: { spec: { containers: [{ name: "main", image: "main:2" }] } },
    },
    { send: `PATCH ${core}/pods/a`, as: "merge", body: { spec: { nodeName: "other" } } },
    { send: `PATCH ${core}/pods/a`, as: "merge", body: { spec: { restartPolicy: "Never" } } },
  ],
  "selectors of workloads": [
    { send: `POST ${apps}/deployments`, body: deployment("a", { selector: { matchLabels: { app: "other" } } }) },
    { send: `POST ${apps}/deployments`, body: deployment("a", { selector: {} }) },
    {
      send: `POST ${apps}/deployments`,
      body: {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "a" },
        spec: { template: template({ app: "a" }) },
      },
    },
    { send: `POST ${apps}/deployments`, body: { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" } } },
  ],
  "a selector cannot change": [
    { send: `POST ${apps}/deployments`, body: deployment("a"), ignored: true },
    {
      send: `PUT ${apps}/deployments/a`,
      body: deployment("a", { selector: { matchLabels: { app: "b" } }, template: template({ app: "b" }) }),
    },
  ],
  "replicas of workloads": [
    { send: `POST ${apps}/deployments`, body: deployment("a", { replicas: -1 }) },
    {
      send: `POST ${apps}/deployments`,
      body: deployment("a", { template: template({ app: "a" }, { restartPolicy: "Never" }) }),
    },
    { send: `POST ${apps}/deployments`, body: deployment("a", { strategy: { type: "Bogus" } }) },
  ],
  "a stateful set keeps most of its spec": [
    {
      send: `POST ${apps}/statefulsets`,
      body: {
        apiVersion: "apps/v1",
        kind: "StatefulSet",
        metadata: { name: "a" },
        spec: { serviceName: "a", selector: { matchLabels: { app: "a" } }, template: template({ app: "a" }) },
      },
      ignored: true,
    },
    { send: `PATCH ${apps}/statefulsets/a`, as: "merge", body: { spec: { serviceName: "b" } } },
    { send: `PATCH ${apps}/statefulsets/a`, as: "merge", body: { spec: { replicas: 3 } } },
  ],
  jobs: [
    {
      send: "POST /apis/batch/v1/namespaces/ID/jobs",
      body: { apiVersion: "batch/v1", kind: "Job", metadata: { name: "a" }, spec: { template: template({}) } },
    },
    {
      send: "POST /apis/batch/v1/namespaces/ID/cronjobs",
      body: {
        apiVersion: "batch/v1",
        kind: "CronJob",
        metadata: { name: "a" },
        spec: { schedule: "often", jobTemplate: { spec: { template: template({}, { restartPolicy: "Never" }) } } },
      },
    },
  ],
  "a job keeps its template": [
    {
      send: "POST /apis/batch/v1/namespaces/ID/jobs",
      body: {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: "a" },
        spec: { template: template({}, { restartPolicy: "Never" }) },
      },
      ignored: true,
    },
    { send: "PATCH /apis/batch/v1/namespaces/ID/jobs/a", as: "merge", body: { spec: { suspend: true } } },
    { send: "PATCH /apis/batch/v1/namespaces/ID/jobs/a", as: "merge", body: { spec: { completions: 5 } } },
  ],
  services: [
    post("services", service("a", { ports: [] })),
    post("services", service("a", { ports: [{ port: 80 }, { port: 81 }] })),
    post("services", service("a", { ports: [{ port: 0 }] })),
    post(
      "services",
      service("a", {
        ports: [
          { name: "x", port: 80 },
          { name: "y", port: 80 },
        ],
      }),
    ),
    post("services", service("a", { type: "Bogus" })),
    post("services", { apiVersion: "v1", kind: "Service", metadata: { name: "a" }, spec: { type: "ExternalName" } }),
  ],
  "a service's address cannot change": [
    { ...post("services", service("a")), ignored: true },
    { send: `PATCH ${core}/services/a`, as: "merge", body: { spec: { clusterIP: "10.96.200.200" } } },
    { send: `PATCH ${core}/services/a`, as: "merge", body: { spec: { type: "NodePort" } } },
    {
      send: `PATCH ${core}/services/a`,
      as: "merge",
      body: { spec: { type: "ClusterIP", ports: [{ port: 80, nodePort: null }] } },
    },
    {
      send: `PATCH ${core}/services/a`,
      as: "merge",
      body: { spec: { type: "ExternalName", externalName: "example.com" } },
    },
  ],
  "a service's address and port can be taken": [
    {
      ...post("services", service("a", { type: "NodePort" })),
      save: { ip: "spec.clusterIP", port: "spec.ports.0.nodePort" },
      ignored: true,
    },
    post("services", service("b", { clusterIP: "$ip" })),
    {
      ...post("services", {}),
      body: undefined,
      text: JSON.stringify(service("c", { type: "NodePort", ports: [{ port: 80, nodePort: 0 }] })).replace(
        '"nodePort":0',
        '"nodePort":$port',
      ),
    },
    post("services", service("d", { clusterIP: "192.168.0.1" })),
    post("services", service("e", { type: "NodePort", ports: [{ port: 80, nodePort: 80 }] })),
    post("services", service("f", { clusterIP: "nonsense" })),
  ],
  claims: [
    post("persistentvolumeclaims", claim("a", { accessModes: [] })),
    post("persistentvolumeclaims", claim("a", { resources: {} })),
    post("persistentvolumeclaims", claim("a", { accessModes: ["Bogus"] })),
  ],
  "a claim keeps its spec": [
    { ...post("persistentvolumeclaims", claim("a")), ignored: true },
    { send: `PATCH ${core}/persistentvolumeclaims/a`, as: "merge", body: { spec: { storageClassName: "other" } } },
    {
      send: `PATCH ${core}/persistentvolumeclaims/a`,
      as: "merge",
      body: { spec: { resources: { requests: { storage: "2Gi" } } } },
    },
    { send: `PATCH ${core}/persistentvolumeclaims/a`, as: "merge", body: { spec: { volumeName: "v" } } },
  ],
  volumes: [
    { send: "POST /api/v1/persistentvolumes", body: volume("ID", { hostPath: null }) },
    { send: "POST /api/v1/persistentvolumes", body: volume("ID", { capacity: null }) },
    { send: "POST /api/v1/persistentvolumes", body: volume("ID", { accessModes: [] }) },
  ],
  "a volume keeps its source": [
    { send: "POST /api/v1/persistentvolumes", body: volume("ID"), ignored: true },
    { send: "PATCH /api/v1/persistentvolumes/ID", as: "merge", body: { spec: { hostPath: { path: "/other" } } } },
    {
      send: "PATCH /api/v1/persistentvolumes/ID",
      as: "merge",
      body: { spec: { persistentVolumeReclaimPolicy: "Delete" } },
    },
  ],
  "a role binding keeps its role": [
    {
      send: "POST /apis/rbac.authorization.k8s.io/v1/namespaces/ID/rolebindings",
      body: {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "RoleBinding",
        metadata: { name: "a" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
      },
      ignored: true,
    },
    {
      send: "PATCH /apis/rbac.authorization.k8s.io/v1/namespaces/ID/rolebindings/a",
      as: "merge",
      body: { roleRef: { name: "other" } },
    },
  ],
  "a storage class keeps its provisioner": [
    {
      send: "POST /apis/storage.k8s.io/v1/storageclasses",
      body: {
        apiVersion: "storage.k8s.io/v1",
        kind: "StorageClass",
        metadata: { name: "ID" },
        provisioner: "example.com/p",
      },
      ignored: true,
    },
    { send: "PATCH /apis/storage.k8s.io/v1/storageclasses/ID", as: "merge", body: { provisioner: "example.com/q" } },
    {
      send: "POST /apis/storage.k8s.io/v1/storageclasses",
      body: { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name: "ID-b" } },
    },
  ],
  "several problems are all named": [post("pods", pod("Bad_Name", { containers: [{}], restartPolicy: "Maybe" }))],
};
