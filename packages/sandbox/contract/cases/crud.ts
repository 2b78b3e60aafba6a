import type { Cases } from "../contract-case.ts";
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

const rbac = "/apis/rbac.authorization.k8s.io/v1";

/** Creating, reading, replacing: each built-in type that people meet, and the rules that hold for all. */
export const crud: Cases = {
  "a config map is created, read and replaced": [
    { send: `POST ${core}/configmaps`, body: configMap("a") },
    { send: `GET ${core}/configmaps/a` },
    { send: `PUT ${core}/configmaps/a`, body: configMap("a", { b: "2" }) },
    { send: `GET ${core}/configmaps/a` },
  ],
  "creating twice is a conflict": [
    { send: `POST ${core}/configmaps`, body: configMap("a"), ignored: true },
    { send: `POST ${core}/configmaps`, body: configMap("a") },
  ],
  "creating twice names the group": [
    { send: `POST ${apps}/deployments`, body: deployment("a"), ignored: true },
    { send: `POST ${apps}/deployments`, body: deployment("a") },
  ],
  "reading what is not there": [{ send: `GET ${core}/configmaps/absent` }, { send: `GET ${apps}/deployments/absent` }],
  "replacing what is not there": [{ send: `PUT ${core}/configmaps/absent`, body: configMap("absent") }],
  "replacing an older version": [
    { send: `POST ${core}/configmaps`, body: configMap("a"), save: { rv: "metadata.resourceVersion" }, ignored: true },
    { send: `PUT ${core}/configmaps/a`, body: configMap("a", { b: "2" }), ignored: true },
    { send: `PUT ${core}/configmaps/a`, body: configMap("a", { c: "3" }, { resourceVersion: "$rv" }) },
  ],
  "replacing an object of another uid": [
    { send: `POST ${core}/configmaps`, body: configMap("a"), ignored: true },
    {
      send: `PUT ${core}/configmaps/a`,
      body: configMap("a", { c: "3" }, { uid: "00000000-0000-0000-0000-000000000000" }),
    },
  ],
  "replacing with the same changes nothing": [
    { send: `POST ${core}/configmaps`, body: configMap("a"), save: { rv: "metadata.resourceVersion" }, ignored: true },
    { send: `PUT ${core}/configmaps/a`, body: configMap("a"), ignored: true },
    { send: `PUT ${core}/configmaps/a`, body: configMap("a", { a: "1" }, { resourceVersion: "$rv" }) },
  ],
  "the name in the body and in the path must agree": [{ send: `PUT ${core}/configmaps/a`, body: configMap("b") }],
  "the namespace in the body and in the path must agree": [
    { send: `POST ${core}/configmaps`, body: configMap("a", {}, { namespace: "default" }) },
    { send: `POST ${core}/configmaps`, body: configMap("a", {}, { namespace: "ID" }) },
  ],
  "an update needs a name": [
    { send: `PUT ${core}/configmaps/a`, body: { apiVersion: "v1", kind: "ConfigMap", metadata: {} } },
  ],
  "the kind in the body must be that of the path": [
    { send: `POST ${core}/configmaps`, body: secret("a") },
    { send: `POST ${core}/configmaps`, body: { ...configMap("a"), apiVersion: "v2" } },
    { send: `POST ${apps}/deployments`, body: { ...deployment("a"), apiVersion: "v1" } },
  ],
  "an absent kind is taken from the path": [{ send: `POST ${core}/configmaps`, body: { metadata: { name: "a" } } }],
  "a namespace must exist": [
    { send: "POST /api/v1/namespaces/ID-absent/configmaps", body: configMap("a") },
    { send: "GET /api/v1/namespaces/ID-absent/configmaps" },
    { send: "GET /api/v1/namespaces/ID-absent/configmaps/a" },
  ],
  "names are generated": [
    {
      send: `POST ${core}/configmaps`,
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "gen-" } },
    },
  ],
  "a name is needed": [
    { send: `POST ${core}/configmaps`, body: { apiVersion: "v1", kind: "ConfigMap", metadata: {} } },
  ],
  "a version may not be given on create": [
    { send: `POST ${core}/configmaps`, body: configMap("a", {}, { resourceVersion: "5" }) },
  ],
  "what the server decides is not taken from the client": [
    {
      send: `POST ${core}/configmaps`,
      body: configMap(
        "a",
        {},
        {
          uid: "00000000-0000-0000-0000-000000000000",
          creationTimestamp: "2001-01-01T00:00:00Z",
          generation: 7,
          selfLink: "/x",
          deletionTimestamp: "2001-01-01T00:00:00Z",
          deletionGracePeriodSeconds: 5,
        },
      ),
    },
  ],
  "a dry run stores nothing": [
    { send: `POST ${core}/configmaps?dryRun=All`, body: configMap("a") },
    { send: `GET ${core}/configmaps/a` },
    { send: `POST ${core}/configmaps`, body: configMap("a"), ignored: true },
    { send: `PUT ${core}/configmaps/a?dryRun=All`, body: configMap("a", { b: "2" }) },
    { send: `GET ${core}/configmaps/a` },
    { send: `POST ${core}/configmaps?dryRun=Some`, body: configMap("b") },
  ],
  "unknown fields warn, fail or pass": [
    { send: `POST ${core}/configmaps`, body: { ...configMap("a"), spec: { x: 1 } } },
    { send: `POST ${core}/configmaps?fieldValidation=Strict`, body: { ...configMap("b"), spec: { x: 1 }, more: [] } },
    { send: `POST ${core}/configmaps?fieldValidation=Ignore`, body: { ...configMap("c"), spec: { x: 1 } } },
    { send: `POST ${core}/configmaps?fieldValidation=Bad`, body: configMap("d") },
  ],
  "unknown fields deep in an object are named by their path": [
    {
      send: `POST ${core}/pods`,
      body: pod("a", { containers: [container("main", { foo: 1, ports: [{ containerPort: 1, bar: 2 }] })] }),
    },
    {
      send: `POST ${core}/pods?fieldValidation=Strict`,
      body: pod("b", { containers: [container("main", { foo: 1, ports: [{ containerPort: 1, bar: 2 }] })], baz: {} }),
    },
  ],
  "a value of the wrong type": [
    { send: `POST ${apps}/deployments`, body: deployment("a", { replicas: "three" }) },
    { send: `POST ${core}/configmaps`, body: { ...configMap("a"), data: { a: 1 } } },
    { send: `POST ${core}/configmaps`, body: { ...configMap("a"), data: ["a"] } },
    { send: `POST ${core}/pods`, body: pod("a", { containers: "none" }) },
    { send: `POST ${core}/pods`, body: pod("a", { hostNetwork: "yes" }) },
  ],
  "YAML bodies": [
    {
      send: `POST ${core}/configmaps`,
      as: "application/yaml",
      text: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: y\ndata:\n  a: 'yes'\n",
    },
  ],
  "bodies that are no object": [
    { send: `POST ${core}/configmaps`, text: "{", as: "application/json" },
    { send: `POST ${core}/configmaps`, text: "[]", as: "application/json" },
    { send: `POST ${core}/configmaps`, text: "", as: "application/json" },
    { send: `POST ${core}/configmaps`, text: "x", as: "text/plain" },
  ],
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
  "the generation counts changes of the spec": [
    { send: `POST ${apps}/deployments`, body: deployment("a"), ignored: true },
    { send: `PUT ${apps}/deployments/a`, body: deployment("a", { replicas: 3 }) },
    { send: `PUT ${apps}/deployments/a`, body: deployment("a", { replicas: 3 }, { labels: { x: "y" } }) },
  ],
  "status is not taken on create or update": [
    { send: `POST ${apps}/deployments`, body: { ...deployment("a"), status: { replicas: 9 } } },
    { send: `PUT ${apps}/deployments/a`, body: { ...deployment("a"), status: { replicas: 9 } } },
    { send: `POST ${core}/pods`, body: { ...pod("a"), status: { phase: "Running" } } },
  ],
  "status has its own endpoint": [
    { send: `POST ${apps}/deployments`, body: deployment("a"), ignored: true },
    {
      send: `PUT ${apps}/deployments/a/status`,
      body: {
        ...deployment("a", { replicas: 5 }, { labels: { l: "m" } }),
        status: { replicas: 2, observedGeneration: 1 },
      },
    },
    { send: `GET ${apps}/deployments/a/status` },
    { send: `POST ${core}/pods`, body: pod("a"), ignored: true },
    { send: `PATCH ${core}/pods/a/status`, as: "merge", body: { status: { phase: "Running", podIP: "10.1.0.1" } } },
  ],
  "scale has its own endpoint": [
    { send: `POST ${apps}/deployments`, body: deployment("a", { replicas: 2 }), ignored: true },
    { send: `GET ${apps}/deployments/a/scale` },
    {
      send: `PUT ${apps}/deployments/a/scale`,
      body: {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "a", namespace: "ID" },
        spec: { replicas: 4 },
      },
    },
    { send: `PATCH ${apps}/deployments/a/scale`, as: "merge", body: { spec: { replicas: 1 } } },
    { send: `GET ${apps}/deployments/a` },
  ],
  "a pod is bound to a node": [
    { send: `POST ${core}/pods`, body: pod("a"), ignored: true },
    {
      send: `POST ${core}/pods/a/binding`,
      body: { apiVersion: "v1", kind: "Binding", metadata: { name: "a" }, target: { kind: "Node", name: "n" } },
    },
    { send: `GET ${core}/pods/a` },
    {
      send: `POST ${core}/pods/a/binding`,
      body: { apiVersion: "v1", kind: "Binding", metadata: { name: "a" }, target: { kind: "Node", name: "m" } },
    },
  ],
  "evicting a pod deletes it": [
    { send: `POST ${core}/pods`, body: pod("a"), ignored: true },
    {
      send: `POST ${core}/pods/a/eviction`,
      body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } },
    },
    { send: `GET ${core}/pods/a`, until: { code: 404 } },
  ],
  "methods and paths that do not exist": [
    { send: `POST ${core}/configmaps/a`, body: configMap("a") },
    { send: `PUT ${core}/configmaps`, body: configMap("a") },
    { send: `PATCH ${core}/configmaps`, as: "merge", body: {} },
    { send: `GET ${core}/widgets` },
    { send: `GET ${core}/configmaps/a/status` },
    { send: "GET /api/v2/pods" },
    { send: "GET /apis/absent.example.com/v1/things" },
    { send: "GET /nothing/here" },
    { send: "POST /api/v1/configmaps", body: configMap("a") },
    { send: "GET /api/v1/namespaces/ID/nodes" },
  ],
  "access reviews say yes": [
    {
      send: "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      body: {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { resourceAttributes: { namespace: "ID", verb: "get", resource: "pods" } },
      },
    },
    {
      send: "POST /apis/authorization.k8s.io/v1/subjectaccessreviews",
      body: {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        spec: { user: "admin", groups: ["system:masters"], nonResourceAttributes: { path: "/x", verb: "get" } },
      },
    },
    {
      send: "POST /apis/authentication.k8s.io/v1/selfsubjectreviews",
      body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
    },
  ],
};
