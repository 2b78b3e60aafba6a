import type { Cases } from "../contract-case.ts";
import { apps, configMap, container, core, deployment, pod, secret } from "./objects.ts";

/** Creating, reading, replacing: the rules that hold for all types, and what is refused. */
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
};
