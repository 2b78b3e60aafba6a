import type { Cases } from "../contract-case.ts";
import { apps, container, core, deployment, pod, template } from "./objects.ts";

/** Pods and what makes them: the defaults that a created object gets. */
export const workloadTypes: Cases = {
  "a pod gets its defaults": [{ send: `POST ${core}/pods`, body: pod("a") }],
  "a pod with most of what a pod can have": [
    {
      send: `POST ${core}/pods`,
      body: pod("a", {
        initContainers: [container("init", { command: ["true"] })],
        containers: [
          container("web", {
            image: "web",
            ports: [{ containerPort: 80 }, { name: "dns", containerPort: 53, protocol: "UDP" }],
            env: [
              { name: "A", value: "" },
              { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
              { name: "C", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
              { name: "D", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
            ],
            resources: { limits: { cpu: "0.5", memory: "128974848" }, requests: { memory: "64Mi" } },
            livenessProbe: { httpGet: { path: "/healthz", port: 80 } },
            readinessProbe: { tcpSocket: { port: "dns" }, periodSeconds: 3 },
            startupProbe: { grpc: { port: 9000 } },
            lifecycle: { preStop: { httpGet: { port: 80 } } },
            volumeMounts: [{ name: "data", mountPath: "/data" }],
            securityContext: { runAsNonRoot: false },
          }),
          container("side", { image: "side:latest", imagePullPolicy: "Never" }),
        ],
        volumes: [
          { name: "data", emptyDir: {} },
          { name: "config", configMap: { name: "c" } },
          { name: "secret", secret: { secretName: "s", items: [{ key: "k", path: "p" }] } },
          { name: "host", hostPath: { path: "/h" } },
          { name: "down", downwardAPI: { items: [{ path: "l", fieldRef: { fieldPath: "metadata.labels" } }] } },
          { name: "all", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
          { name: "claim", persistentVolumeClaim: { claimName: "x" } },
        ],
        tolerations: [{ key: "k", operator: "Exists" }],
        affinity: { nodeAffinity: {} },
        nodeSelector: { disk: "ssd" },
        hostNetwork: false,
        serviceAccountName: "default",
        topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" }],
      }),
    },
  ],
  "a pod on the host's network": [
    {
      send: `POST ${core}/pods`,
      body: pod("a", { hostNetwork: true, containers: [container("main", { ports: [{ containerPort: 80 }] })] }),
    },
  ],
  "a deployment gets its defaults": [{ send: `POST ${apps}/deployments`, body: deployment("a") }],
  "a deployment with a strategy of its own": [
    {
      send: `POST ${apps}/deployments`,
      body: deployment("a", { replicas: 0, strategy: { type: "Recreate" }, revisionHistoryLimit: 0 }),
    },
    { send: `POST ${apps}/deployments`, body: deployment("b", { strategy: { rollingUpdate: { maxSurge: 1 } } }) },
  ],
  "a stateful set gets its defaults": [
    {
      send: `POST ${apps}/statefulsets`,
      body: {
        apiVersion: "apps/v1",
        kind: "StatefulSet",
        metadata: { name: "a" },
        spec: {
          serviceName: "a",
          selector: { matchLabels: { app: "a" } },
          template: template({ app: "a" }),
          volumeClaimTemplates: [
            {
              metadata: { name: "data" },
              spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
            },
          ],
        },
      },
    },
  ],
  "a daemon set gets its defaults": [
    {
      send: `POST ${apps}/daemonsets`,
      body: {
        apiVersion: "apps/v1",
        kind: "DaemonSet",
        metadata: { name: "a" },
        spec: { selector: { matchLabels: { app: "a" } }, template: template({ app: "a" }) },
      },
    },
  ],
  "a replica set gets its defaults": [
    {
      send: `POST ${apps}/replicasets`,
      body: {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        metadata: { name: "a" },
        spec: { selector: { matchLabels: { app: "a" } }, template: template({ app: "a" }) },
      },
    },
  ],
  "a job gets its defaults and its own labels": [
    {
      send: "POST /apis/batch/v1/namespaces/ID/jobs",
      body: {
        apiVersion: "batch/v1",
        kind: "Job",
        metadata: { name: "a" },
        spec: { template: { spec: { containers: [container("main")], restartPolicy: "Never" } } },
      },
    },
  ],
  "a cron job gets its defaults": [
    {
      send: "POST /apis/batch/v1/namespaces/ID/cronjobs",
      body: {
        apiVersion: "batch/v1",
        kind: "CronJob",
        metadata: { name: "a" },
        spec: {
          schedule: "0 * * * *",
          jobTemplate: {
            spec: { template: { spec: { containers: [container("main")], restartPolicy: "OnFailure" } } },
          },
        },
      },
    },
  ],
};
