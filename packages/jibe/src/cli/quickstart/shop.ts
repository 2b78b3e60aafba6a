import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";

export const shopNamespace = "shop";
const labels = { app: "shop" };

/** A small shop: settings, a secret, a front end, and a database with a volume. */
export function shopObjects(): KubernetesObject[] {
  const meta = (name: string) => ({ name, namespace: shopNamespace, labels });
  const pods = (part: string, container: object, more: object = {}) => ({
    selector: { matchLabels: { ...labels, part } },
    template: { metadata: { labels: { ...labels, part } }, spec: { containers: [container], ...more } },
  });
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: shopNamespace, labels } },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: meta("shop-settings"),
      data: { currency: "EUR", greeting: "Fair winds and following seas" },
    },
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: meta("database"),
      type: "Opaque",
      stringData: { password: "anchors-aweigh" },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: meta("web"),
      spec: { selector: { ...labels, part: "web" }, ports: [{ port: 80, targetPort: 8080 }] },
    },
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: meta("web"),
      spec: {
        replicas: 3,
        ...pods("web", {
          name: "web",
          image: "example.io/shop/web:1",
          envFrom: [{ configMapRef: { name: "shop-settings" } }],
        }),
      },
    },
    {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: meta("database"),
      spec: {
        serviceName: "database",
        replicas: 1,
        ...pods("database", {
          name: "database",
          image: "example.io/shop/database:1",
          volumeMounts: [{ name: "orders", mountPath: "/var/lib/orders" }],
        }),
        volumeClaimTemplates: [
          {
            metadata: { name: "orders", labels },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
      },
    },
  ];
}

/** The kinds to count, with how people call them. */
export const shopKinds: readonly { readonly name: string; readonly resource: string }[] = [
  { name: "Deployments", resource: "deployments.apps" },
  { name: "StatefulSets", resource: "statefulsets.apps" },
  { name: "Pods", resource: "pods" },
  { name: "Services", resource: "services" },
  { name: "ConfigMaps", resource: "configmaps" },
  { name: "Secrets", resource: "secrets" },
  { name: "Claims", resource: "persistentvolumeclaims" },
];
