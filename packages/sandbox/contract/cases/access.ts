import type { Cases, RequestStep } from "../contract-case.ts";
import { configMap, core, pod } from "./objects.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const each = (path: string): RequestStep[] =>
  methods.map((method) => ({ send: `${method} ${path}`, ...(method === "GET" ? {} : { body: {} }) }));

const review = (kind: string, spec: object): RequestStep => ({
  send: `POST /apis/authorization.k8s.io/v1/${kind.toLowerCase()}s`,
  body: { apiVersion: "authorization.k8s.io/v1", kind, spec },
});

const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const certificateRequest = (request: string) => ({
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name: "ID" },
  spec: {
    request: Buffer.from(request).toString("base64"),
    signerName: "example.com/x",
    usages: ["digital signature"],
  },
});

const budgets = "/apis/policy/v1/namespaces/ID/poddisruptionbudgets";
const budget = (name: string, selector: object = { app: "web" }) => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name },
  spec: { minAvailable: 1, selector: { matchLabels: selector } },
});
const runningPod = (name: string): RequestStep[] => [
  { send: `POST ${core}/pods`, body: pod(name, {}, { labels: { app: "web" } }), ignored: true },
  {
    send: `PATCH ${core}/pods/${name}/status`,
    as: "merge",
    body: { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } },
    ignored: true,
  },
];
const setBudget = (status: object): RequestStep => ({
  send: `PATCH ${budgets}/guard/status`,
  as: "merge",
  body: { status: { observedGeneration: 1, desiredHealthy: 1, currentHealthy: 1, expectedPods: 1, ...status } },
  ignored: true,
});
const evict = (name: string): RequestStep => ({
  send: `POST ${core}/pods/${name}/eviction`,
  body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } },
});

/** Who may ask for what, by which path, and what everyone is told. */
export const access: Cases = {
  "a namespaced object without its namespace is not found": [
    ...each("/api/v1/configmaps/one"),
    ...each("/api/v1/pods/one/status"),
    ...each("/apis/apps/v1/deployments/one"),
  ],
  "nothing is created without a namespace": [{ send: "POST /api/v1/configmaps", body: configMap("one") }],
  "a deprecated type warns with every answer": [
    { send: `GET ${core}/endpoints` },
    { send: `GET ${core}/endpoints/one` },
    { send: `POST ${core}/endpoints`, body: { apiVersion: "v1", kind: "Endpoints", metadata: { name: "one" } } },
    { send: `GET ${core}/endpoints/one` },
    { send: `DELETE ${core}/endpoints/one` },
    { send: `GET ${core}/endpoints?labelSelector=,` },
  ],
  "the administrator may do everything": [
    review("SelfSubjectAccessReview", { resourceAttributes: { verb: "delete", resource: "nodes" } }),
    review("SelfSubjectAccessReview", { nonResourceAttributes: { verb: "get", path: "/healthz" } }),
  ],
  "a version that none has is no version of a new object": [
    { send: `POST ${core}/configmaps`, body: configMap("zero", {}, { resourceVersion: "0" }) },
    { send: `POST ${core}/configmaps`, body: configMap("word", {}, { resourceVersion: "word" }) },
    { send: `POST ${core}/configmaps`, body: configMap("one", {}, { resourceVersion: "1" }) },
  ],
  "a pod is evicted as its budget allows": [
    ...runningPod("one"),
    { send: `POST ${budgets}`, body: budget("guard"), ignored: true },
    evict("one"),
    setBudget({ disruptionsAllowed: 0 }),
    evict("one"),
    setBudget({ disruptionsAllowed: 1, currentHealthy: 2 }),
    { send: `POST ${core}/pods/one/eviction?dryRun=All`, body: { metadata: { name: "one" } } },
    evict("one"),
    { send: `GET ${budgets}/guard`, until: { body: { status: { disruptionsAllowed: 0 } } }, ignored: true },
  ],
  "a pod that does not run needs no budget": [
    { send: `POST ${core}/pods`, body: pod("one", {}, { labels: { app: "web" } }), ignored: true },
    { send: `POST ${budgets}`, body: budget("guard"), ignored: true },
    evict("one"),
    evict("absent"),
  ],
  "two budgets for one pod are one too many": [
    ...runningPod("one"),
    { send: `POST ${budgets}`, body: budget("guard"), ignored: true },
    { send: `POST ${budgets}`, body: budget("other", {}), ignored: true },
    evict("one"),
  ],
  "what is no certificate request is refused": [
    { send: `POST ${requests}`, body: certificateRequest("nothing") },
    {
      send: `POST ${requests}`,
      body: certificateRequest("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
    },
  ],
  "access reviews say yes": [
    review("SelfSubjectAccessReview", { resourceAttributes: { namespace: "ID", verb: "get", resource: "pods" } }),
    review("SubjectAccessReview", {
      user: "admin",
      groups: ["system:masters"],
      nonResourceAttributes: { path: "/x", verb: "get" },
    }),
    {
      send: "POST /apis/authentication.k8s.io/v1/selfsubjectreviews",
      body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
    },
  ],
};
