import type { Cases } from "../contract-case.ts";
import { claim, core, secret, service, volume } from "./objects.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";

/** The other built-in types that people meet: the defaults that a created object gets. */
export const builtInTypes: Cases = {
  "a namespace gets its finalizer, label and phase": [
    {
      send: "POST /api/v1/namespaces",
      body: { apiVersion: "v1", kind: "Namespace", metadata: { name: "ID-b", labels: { x: "y" } } },
    },
    { send: "GET /api/v1/namespaces/ID-b" },
  ],
  "a namespace gets a service account and the root certificate": [
    { send: `GET ${core}/serviceaccounts/default`, until: { code: 200 } },
    { send: `GET ${core}/configmaps/kube-root-ca.crt`, until: { code: 200 } },
  ],
  "a service gets an address": [
    { send: `POST ${core}/services`, body: service("a") },
    { send: `GET ${core}/services/a` },
  ],
  "services of the other kinds": [
    { send: `POST ${core}/services`, body: service("np", { type: "NodePort" }) },
    {
      send: `POST ${core}/services`,
      body: service("lb", {
        type: "LoadBalancer",
        ports: [
          { name: "a", port: 80 },
          { name: "b", port: 81, targetPort: "web", protocol: "UDP" },
        ],
      }),
    },
    { send: `POST ${core}/services`, body: service("none", { clusterIP: "None" }) },
    {
      send: `POST ${core}/services`,
      body: {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "ext" },
        spec: { type: "ExternalName", externalName: "example.com" },
      },
    },
  ],
  "a secret has a type": [
    { send: `POST ${core}/secrets`, body: secret("a") },
    { send: `POST ${core}/secrets`, body: secret("b", { stringData: { extra: "text", password: "over" } }) },
    { send: `POST ${core}/secrets`, body: secret("c", { type: "example.com/own", data: {} }) },
  ],
  "a claim and a volume get their defaults": [
    { send: `POST ${core}/persistentvolumeclaims`, body: claim("a") },
    { send: "POST /api/v1/persistentvolumes", body: volume("ID") },
    { send: `POST ${core}/persistentvolumeclaims`, body: claim("b", { storageClassName: "", volumeName: "ID" }) },
  ],
  "a node": [
    {
      send: "POST /api/v1/nodes",
      body: {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: "ID" },
        spec: { taints: [{ key: "k", effect: "NoSchedule" }] },
        status: { capacity: { cpu: "4" } },
      },
    },
  ],
  "roles, bindings and accounts": [
    {
      send: `POST ${rbac}/namespaces/ID/roles`,
      body: {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "Role",
        metadata: { name: "a:b" },
        rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
      },
    },
    {
      send: `POST ${rbac}/namespaces/ID/roles`,
      body: { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "empty" } },
    },
    {
      send: `POST ${rbac}/namespaces/ID/rolebindings`,
      body: {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "RoleBinding",
        metadata: { name: "a" },
        roleRef: { kind: "Role", name: "a" },
        subjects: [
          { kind: "ServiceAccount", name: "default" },
          { kind: "User", name: "u" },
        ],
      },
    },
    {
      send: `POST ${rbac}/clusterroles`,
      body: {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: "ID" },
        rules: [{ nonResourceURLs: ["/x"], verbs: ["get"] }],
      },
    },
    {
      send: `POST ${core}/serviceaccounts`,
      body: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "a" }, imagePullSecrets: [{ name: "p" }] },
    },
  ],
  "network types": [
    {
      send: "POST /apis/networking.k8s.io/v1/namespaces/ID/ingresses",
      body: {
        apiVersion: "networking.k8s.io/v1",
        kind: "Ingress",
        metadata: { name: "a" },
        spec: {
          rules: [
            {
              host: "a.example.com",
              http: {
                paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "a", port: { number: 80 } } } }],
              },
            },
          ],
        },
      },
    },
    {
      send: "POST /apis/networking.k8s.io/v1/namespaces/ID/networkpolicies",
      body: {
        apiVersion: "networking.k8s.io/v1",
        kind: "NetworkPolicy",
        metadata: { name: "a" },
        spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] },
      },
    },
    {
      send: `POST ${core}/endpoints`,
      body: {
        apiVersion: "v1",
        kind: "Endpoints",
        metadata: { name: "a" },
        subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }] }],
      },
    },
    {
      send: "POST /apis/discovery.k8s.io/v1/namespaces/ID/endpointslices",
      body: {
        apiVersion: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        metadata: { name: "a" },
        addressType: "IPv4",
        endpoints: [{ addresses: ["10.0.0.1"] }],
        ports: [{ port: 80 }],
      },
    },
    {
      send: "POST /apis/networking.k8s.io/v1/ingressclasses",
      body: {
        apiVersion: "networking.k8s.io/v1",
        kind: "IngressClass",
        metadata: { name: "ID" },
        spec: { controller: "example.com/c" },
      },
    },
  ],
  "storage types": [
    {
      send: "POST /apis/storage.k8s.io/v1/storageclasses",
      body: {
        apiVersion: "storage.k8s.io/v1",
        kind: "StorageClass",
        metadata: { name: "ID" },
        provisioner: "example.com/p",
      },
    },
    {
      send: "POST /apis/storage.k8s.io/v1/csidrivers",
      body: { apiVersion: "storage.k8s.io/v1", kind: "CSIDriver", metadata: { name: "ID.example.com" }, spec: {} },
    },
    {
      send: "POST /apis/storage.k8s.io/v1/volumeattachments",
      body: {
        apiVersion: "storage.k8s.io/v1",
        kind: "VolumeAttachment",
        metadata: { name: "ID" },
        spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "p" } },
      },
    },
  ],
  "policy and scheduling types": [
    {
      send: "POST /apis/policy/v1/namespaces/ID/poddisruptionbudgets",
      body: {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name: "a" },
        spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } },
      },
    },
    {
      send: "POST /apis/scheduling.k8s.io/v1/priorityclasses",
      body: { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name: "ID" }, value: 10 },
    },
    {
      send: `POST ${core}/limitranges`,
      body: {
        apiVersion: "v1",
        kind: "LimitRange",
        metadata: { name: "a" },
        spec: { limits: [{ type: "Container", max: { cpu: "1" } }] },
      },
    },
    {
      send: `POST ${core}/resourcequotas`,
      body: { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "a" }, spec: { hard: { secrets: "10" } } },
    },
    {
      send: "POST /apis/autoscaling/v2/namespaces/ID/horizontalpodautoscalers",
      body: {
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        metadata: { name: "a" },
        spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" } },
      },
    },
    {
      send: "POST /apis/coordination.k8s.io/v1/namespaces/ID/leases",
      body: {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: "a" },
        spec: { holderIdentity: "me", leaseDurationSeconds: 15, renewTime: "2024-01-01T00:00:00.5Z" },
      },
    },
  ],
  "webhook configurations": [
    {
      send: "POST /apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
      body: {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "ValidatingWebhookConfiguration",
        metadata: { name: "ID" },
        webhooks: [
          {
            name: "a.example.com",
            clientConfig: { service: { namespace: "n", name: "s" } },
            sideEffects: "None",
            admissionReviewVersions: ["v1"],
          },
        ],
      },
    },
  ],
  events: [
    {
      send: `POST ${core}/events`,
      body: {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: "a" },
        involvedObject: { kind: "Pod", name: "p", namespace: "ID" },
        reason: "Because",
        message: "text",
        type: "Normal",
      },
    },
    { send: `GET /apis/events.k8s.io/v1/namespaces/ID/events/a` },
  ],
};
