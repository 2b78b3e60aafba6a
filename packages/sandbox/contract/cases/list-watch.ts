import type { Cases, RequestStep } from "../contract-case.ts";
import { apps, configMap, core, deployment, pod, secret } from "./objects.ts";

const make = (name: string, labels: object = {}, data: object = { n: name }): RequestStep => ({
  send: `POST ${core}/secrets`,
  body: { ...secret(name), metadata: { name, labels }, data: {}, stringData: data },
  ignored: true,
});
const s = `${core}/secrets`;
const labelled = [
  make("a", { tier: "web", env: "prod" }),
  make("b", { tier: "web" }),
  make("c", { env: "dev" }),
  make("d"),
];
const list = (query: string): RequestStep => ({ send: `GET ${s}?${query}` });
const change = (name: string, body: object): RequestStep => ({
  send: `PATCH ${s}/${name}`,
  as: "merge",
  body,
  ignored: true,
});
const remove = (name: string): RequestStep => ({ send: `DELETE ${s}/${name}`, ignored: true });
const now: RequestStep = { send: `GET ${s}`, save: { rv: "metadata.resourceVersion" }, ignored: true };

/** Lists with their selectors and pages, and watches. */
export const listWatch: Cases = {
  "a list of nothing": [{ send: `GET ${s}` }, { send: `GET ${apps}/deployments` }],
  "items of a list have no kind": [make("a"), make("b"), { send: `GET ${s}` }],
  "items are ordered by name": [make("b"), make("a"), make("a-1"), { send: `GET ${s}` }],
  "a label must be equal": [
    ...labelled,
    list("labelSelector=tier=web"),
    list("labelSelector=tier%3D%3Dweb"),
    list("labelSelector=tier!=web"),
  ],
  "a label must be in a set": [
    ...labelled,
    list("labelSelector=env%20in%20(prod,dev)"),
    list("labelSelector=env%20notin%20(prod)"),
  ],
  "a label must exist or not": [
    ...labelled,
    list("labelSelector=env"),
    list("labelSelector=!env"),
    list("labelSelector=tier,env=prod"),
  ],
  "a label selector that cannot be read": [
    list("labelSelector=a%20b"),
    list("labelSelector=a%20in%20b"),
    list("labelSelector=%3Dx"),
    list("labelSelector=a%3Db%3Dc"),
  ],
  "fields of metadata select": [
    ...labelled,
    list("fieldSelector=metadata.name=b"),
    list("fieldSelector=metadata.name!=b"),
    list("fieldSelector=metadata.name=b,metadata.namespace=ID"),
    list("fieldSelector=metadata.namespace=other"),
  ],
  "a field that cannot be selected by": [
    list("fieldSelector=data.x=1"),
    list("fieldSelector=nonsense"),
    { send: `GET ${core}/pods?fieldSelector=spec.containers=1` },
  ],
  "secrets are selected by type": [
    make("a"),
    { send: `POST ${s}`, body: secret("t", { type: "example.com/t" }), ignored: true },
    list("fieldSelector=type=example.com/t"),
  ],
  "pods are selected by node and phase": [
    { send: `POST ${core}/pods`, body: pod("a", { nodeName: "n1" }), ignored: true },
    { send: `POST ${core}/pods`, body: pod("b"), ignored: true },
    { send: `GET ${core}/pods?fieldSelector=spec.nodeName=n1` },
    { send: `GET ${core}/pods?fieldSelector=spec.nodeName=,status.phase=Pending` },
    { send: `GET ${core}/pods?fieldSelector=status.phase!=Pending` },
  ],
  "events are selected by what they are about": [
    {
      send: `POST ${core}/events`,
      body: {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: "e1" },
        involvedObject: { kind: "Pod", name: "p", namespace: "ID" },
        reason: "R",
        type: "Normal",
      },
      ignored: true,
    },
    {
      send: `POST ${core}/events`,
      body: {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: "e2" },
        involvedObject: { kind: "Node", name: "n", namespace: "ID" },
        reason: "R",
        type: "Warning",
      },
      ignored: true,
    },
    { send: `GET ${core}/events?fieldSelector=involvedObject.kind=Pod,involvedObject.name=p` },
    { send: `GET ${core}/events?fieldSelector=type=Warning` },
  ],
  "namespaces are selected by name": [{ send: "GET /api/v1/namespaces?fieldSelector=metadata.name=ID" }],
  "a list comes in pages": [
    ...labelled,
    { send: `GET ${s}?limit=2`, save: { next: "metadata.continue" } },
    { send: `GET ${s}?limit=2&continue=$next` },
  ],
  "a page as large as the list is the last": [make("a"), make("b"), list("limit=2"), list("limit=5")],
  "a page with a selector does not count the rest": [
    ...labelled,
    { send: `GET ${s}?limit=1&labelSelector=tier=web`, save: { next: "metadata.continue" } },
    { send: `GET ${s}?limit=1&labelSelector=tier=web&continue=$next` },
  ],
  "pages show one moment": [
    ...labelled,
    { send: `GET ${s}?limit=2`, save: { next: "metadata.continue" }, ignored: true },
    remove("c"),
    make("e"),
    change("d", { metadata: { labels: { late: "yes" } } }),
    { send: `GET ${s}?limit=9&continue=$next` },
  ],
  "a token that is no token": [list("limit=1&continue=nonsense"), list("continue=bm9uc2Vuc2U")],
  "a token and a version do not go together": [
    ...labelled,
    { send: `GET ${s}?limit=2`, save: { next: "metadata.continue" }, ignored: true },
    { send: `GET ${s}?limit=2&continue=$next&resourceVersion=1` },
  ],
  "any version": [make("a"), list("resourceVersion=0"), list("resourceVersion=0&limit=1")],
  "a version not older than": [
    make("a"),
    now,
    { send: `GET ${s}?resourceVersion=$rv` },
    { send: `GET ${s}?resourceVersion=$rv&resourceVersionMatch=NotOlderThan` },
  ],
  "exactly a version": [
    make("a"),
    now,
    make("b"),
    change("a", { metadata: { labels: { x: "y" } } }),
    { send: `GET ${s}?resourceVersion=$rv&resourceVersionMatch=Exact` },
  ],
  "version options that contradict": [
    list("resourceVersionMatch=Exact"),
    list("resourceVersionMatch=Exact&resourceVersion=0"),
    list("resourceVersionMatch=Bad&resourceVersion=1"),
    list("resourceVersion=abc"),
    list("resourceVersion=-1"),
  ],
  "a limit that is no number": [list("limit=x"), list("limit=-1")],
  "a list over all namespaces": [
    make("ID", {}, { n: "x" }),
    { send: "GET /api/v1/secrets?fieldSelector=metadata.name=ID" },
    { send: "GET /api/v1/secrets?fieldSelector=metadata.namespace=ID,metadata.name=ID" },
  ],
  "a deployment list carries its type": [
    { send: `POST ${apps}/deployments`, body: deployment("a"), ignored: true },
    { send: `GET ${apps}/deployments` },
  ],
  "only metadata": [
    make("a", { x: "y" }),
    { send: `GET ${s}/a`, accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" },
    { send: `GET ${s}`, accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" },
  ],
  "a form that is not served": [
    { send: `GET ${s}`, accept: "text/html" },
    { send: `GET ${s}`, accept: "text/html,application/json" },
  ],
  "a watch from a version sees what follows": [
    now,
    { watch: "w", path: `${s}?watch=true&resourceVersion=$rv` },
    make("a"),
    change("a", { metadata: { labels: { x: "y" } } }),
    remove("a"),
    { events: "w", count: 3 },
  ],
  "a watch sees what happened before it began": [
    now,
    make("a"),
    change("a", { metadata: { labels: { x: "y" } } }),
    { watch: "w", path: `${s}?watch=1&resourceVersion=$rv` },
    { events: "w", count: 2 },
  ],
  "a watch without a version starts with what is there": [
    make("a"),
    make("b"),
    { watch: "w", path: `${s}?watch=true` },
    { events: "w", count: 2 },
    make("c"),
    { events: "w", count: 1 },
  ],
  "a watch from version 0": [
    make("a"),
    { watch: "w", path: `${s}?watch=true&resourceVersion=0` },
    { events: "w", count: 1 },
  ],
  "a watch with a label selector turns changes into coming and going": [
    now,
    { watch: "w", path: `${s}?watch=true&resourceVersion=$rv&labelSelector=on=yes` },
    make("a"),
    change("a", { metadata: { labels: { on: "yes" } } }),
    change("a", { metadata: { annotations: { n: "1" } } }),
    change("a", { metadata: { labels: { on: "no" } } }),
    make("b", { on: "yes" }),
    remove("b"),
    { events: "w", count: 5 },
  ],
  "a watch of one object": [
    make("a"),
    make("b"),
    now,
    { watch: "w", path: `${s}?watch=true&resourceVersion=$rv&fieldSelector=metadata.name=b` },
    change("a", { metadata: { labels: { x: "y" } } }),
    change("b", { metadata: { labels: { x: "y" } } }),
    { events: "w", count: 1 },
  ],
  "a watch of pods by phase": [
    { send: `POST ${core}/pods`, body: pod("a"), ignored: true },
    { send: `GET ${core}/pods`, save: { rv: "metadata.resourceVersion" }, ignored: true },
    { watch: "w", path: `${core}/pods?watch=true&resourceVersion=$rv&fieldSelector=status.phase=Running` },
    { send: `PATCH ${core}/pods/a/status`, as: "merge", body: { status: { phase: "Running" } }, ignored: true },
    { send: `PATCH ${core}/pods/a/status`, as: "merge", body: { status: { phase: "Failed" } }, ignored: true },
    { events: "w", count: 2 },
  ],
  "a watch ends when its time is up": [
    now,
    { watch: "w", path: `${s}?watch=true&resourceVersion=$rv&timeoutSeconds=1` },
    { events: "w", count: 0, ends: true },
  ],
  "a watch with initial events marks their end": [
    make("a"),
    {
      watch: "w",
      path: `${s}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    },
    { events: "w", count: 2 },
    make("b"),
    { events: "w", count: 1 },
  ],
  "initial events need the right options": [
    { send: `GET ${s}?watch=true&sendInitialEvents=true` },
    { send: `GET ${s}?sendInitialEvents=true` },
    { send: `GET ${s}?watch=true&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1` },
  ],
  "a watch of one object by the old path": [
    now,
    { watch: "w", path: `/api/v1/watch/namespaces/ID/secrets/a?resourceVersion=$rv` },
    make("a"),
    { events: "w", count: 1 },
  ],
  "a watch of only metadata": [
    now,
    { watch: "w", path: `${core}/configmaps?watch=true&resourceVersion=$rv&fieldSelector=metadata.name=m` },
    { send: `POST ${core}/configmaps`, body: configMap("m"), ignored: true },
    { events: "w", count: 1 },
  ],
  "a watch from a version that is no number": [{ send: `GET ${s}?watch=true&resourceVersion=abc` }],
  "a watch of custom and built-in types names the type in each event": [
    { send: `GET ${apps}/deployments`, save: { rv: "metadata.resourceVersion" }, ignored: true },
    { watch: "w", path: `${apps}/deployments?watch=true&resourceVersion=$rv` },
    { send: `POST ${apps}/deployments`, body: deployment("a"), ignored: true },
    { events: "w", count: 1 },
  ],
};
