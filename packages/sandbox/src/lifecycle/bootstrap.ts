import type { ApiContext } from "../api/context.ts";
import { type KubeObject, timeText } from "../api/kube-object.ts";
import { keyOf } from "../storage/entry.ts";

const namespaces = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** Creates what every cluster has from its first second: its namespaces and the service of the API server. */
export function createFirstObjects(context: ApiContext): void {
  for (const name of namespaces) {
    put(context, "namespaces", {
      metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
  }
  put(context, "services", {
    metadata: { name: "kubernetes", namespace: "default", labels: { component: "apiserver", provider: "kubernetes" } },
    spec: {
      ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: 6443 }],
      clusterIP: "10.96.0.1",
      clusterIPs: ["10.96.0.1"],
      type: "ClusterIP",
      sessionAffinity: "None",
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      internalTrafficPolicy: "Cluster",
    },
    status: { loadBalancer: {} },
  });
}

/** Writes an object of the server's own unless it is there. */
export function put(context: ApiContext, bucket: string, object: KubeObject): void {
  const { name = "", namespace = "" } = object.metadata;
  if (context.store.get(bucket, keyOf(namespace, name))) return;
  const { metadata, ...rest } = object;
  const created = { ...metadata, uid: context.newUid(), creationTimestamp: timeText(context.clock.now()) };
  context.store.commit(bucket, { ...rest, metadata: created });
}
