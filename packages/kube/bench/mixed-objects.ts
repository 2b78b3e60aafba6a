import type { KubeObject, ResourceRef } from "../src/index.ts";

/** A kind of object the benchmark makes, and how one of them looks. */
export interface ObjectMaker {
  readonly type: ResourceRef;
  make(name: string, namespace: string): KubeObject;
}

const type = (group: string, version: string, resource: string, kind: string): ResourceRef => ({
  group,
  version,
  resource,
  kind,
  namespaced: true,
});

const labels = (name: string) => ({
  "app.kubernetes.io/name": name,
  "app.kubernetes.io/part-of": "bench",
  tier: "web",
});

/** A few kinds of different size, as a cluster has them: settings, secrets, workloads, access. */
export const objectMakers: readonly ObjectMaker[] = [
  {
    type: type("", "v1", "configmaps", "ConfigMap"),
    make: (name, namespace) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace, labels: labels(name) },
      data: { "settings.yaml": "retries: 3\nlevel: info\n".repeat(20), mode: "fast" },
    }),
  },
  {
    type: type("", "v1", "secrets", "Secret"),
    make: (name, namespace) => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace, labels: labels(name), annotations: { "bench.example.io/owner": "team-a" } },
      type: "Opaque",
      data: { password: Buffer.from(name.repeat(8)).toString("base64") },
    }),
  },
  {
    type: type("apps", "v1", "deployments", "Deployment"),
    make: (name, namespace) => ({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace, labels: labels(name) },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: {
            containers: [
              {
                name: "main",
                image: "registry.example.io/app:1.2.3",
                env: [{ name: "NAME", value: name }],
                ports: [{ containerPort: 8080 }],
                resources: { requests: { cpu: "100m", memory: "64Mi" } },
              },
            ],
          },
        },
      },
    }),
  },
  {
    type: type("rbac.authorization.k8s.io", "v1", "roles", "Role"),
    make: (name, namespace) => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name, namespace, labels: labels(name) },
      rules: [{ apiGroups: ["", "apps"], resources: ["pods", "deployments"], verbs: ["get", "list", "watch"] }],
    }),
  },
];
