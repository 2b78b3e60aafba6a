import type { Cases, RequestStep } from "../contract-case.ts";
import { configMap, core } from "./objects.ts";

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
  "what is no certificate request is refused": [
    { send: `POST ${requests}`, body: certificateRequest("nothing") },
    {
      send: `POST ${requests}`,
      body: certificateRequest("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
    },
  ],
};
