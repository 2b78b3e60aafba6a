import type { Cases, RequestStep } from "../contract-case.ts";
import { apps, configMap, container, core, deployment, pod, service } from "./objects.ts";

const cm = `${core}/configmaps`;
const make = (body: object): RequestStep => ({ send: `POST ${cm}`, body, ignored: true });
const patch = (as: string, body: unknown, name = "a"): RequestStep => ({ send: `PATCH ${cm}/${name}`, as, body });
const deploy: RequestStep = { send: `POST ${apps}/deployments`, body: deployment("a"), ignored: true };
const patchDeploy = (as: string, body: unknown): RequestStep => ({ send: `PATCH ${apps}/deployments/a`, as, body });
const strategic = (containers: object, more: object = {}) =>
  patchDeploy("strategic", { spec: { template: { spec: { containers, ...more } } } });
const apply = (body: object, query = "fieldManager=one", name = "a"): RequestStep => ({
  send: `PATCH ${cm}/${name}?${query}`,
  as: "apply",
  body,
});
const applyDeploy = (body: object, query = "fieldManager=one"): RequestStep => ({
  send: `PATCH ${apps}/deployments/a?${query}`,
  as: "apply",
  body,
});
const read: RequestStep = { send: `GET ${cm}/a` };

const appliedDeployment = (spec: object = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "a" },
  spec: {
    selector: { matchLabels: { app: "a" } },
    template: { metadata: { labels: { app: "a" } }, spec: { containers: [container("main")] } },
    ...spec,
  },
});

/** The four kinds of patch. */
export const patches: Cases = {
  "merge patch changes, adds and removes": [
    make(configMap("a", { a: "1", b: "2" })),
    patch("merge", { data: { a: "9", b: null, c: "3" } }),
    patch("merge", { data: null }),
    patch("merge", { metadata: { labels: { x: "y" }, annotations: { n: "o" } } }),
  ],
  "an empty merge patch changes nothing": [make(configMap("a")), patch("merge", {}), patch("merge", { data: {} })],
  "merge patch replaces lists": [
    {
      send: `POST ${core}/services`,
      body: service("s", {
        ports: [
          { name: "a", port: 1 },
          { name: "b", port: 2 },
        ],
      }),
      ignored: true,
    },
    { send: `PATCH ${core}/services/s`, as: "merge", body: { spec: { ports: [{ name: "c", port: 3 }] } } },
  ],
  "merge patch that is no object": [
    make(configMap("a")),
    patch("merge", [1]),
    patch("merge", "text"),
    { ...patch("merge", undefined), text: "{" },
  ],
  "merge patch cannot change the name or the namespace": [
    make(configMap("a")),
    patch("merge", { metadata: { name: "b" } }),
    patch("merge", { metadata: { namespace: "other" } }),
    patch("merge", { metadata: { uid: "00000000-0000-0000-0000-000000000000" } }),
  ],
  "merge patch cannot change what the server decides": [
    make(configMap("a")),
    patch("merge", { metadata: { creationTimestamp: "2001-01-01T00:00:00Z", generation: 9, selfLink: "/x" } }),
    patch("merge", { metadata: { deletionTimestamp: "2001-01-01T00:00:00Z" } }),
  ],
  "merge patch with a version is checked": [
    make(configMap("a")),
    patch("merge", { metadata: { resourceVersion: "1" }, data: { z: "1" } }),
  ],
  "merge patch with unknown fields": [
    make(configMap("a")),
    patch("merge", { spec: { x: 1 } }),
    { send: `PATCH ${cm}/a?fieldValidation=Strict`, as: "merge", body: { spec: { x: 1 } } },
    { send: `PATCH ${cm}/a?fieldValidation=Ignore`, as: "merge", body: { spec: { x: 1 } } },
  ],
  "merge patch with a value of the wrong type": [
    make(configMap("a")),
    patch("merge", { data: { a: 1 } }),
    patch("merge", { data: "x" }),
  ],
  "patching what is not there": [
    patch("merge", {}, "absent"),
    patch("json", [], "absent"),
    patch("strategic", {}, "absent"),
  ],
  "a dry run of a patch stores nothing": [
    make(configMap("a")),
    { send: `PATCH ${cm}/a?dryRun=All`, as: "merge", body: { data: { z: "1" } } },
    read,
  ],
  "JSON patch adds, replaces and removes": [
    make(configMap("a", { a: "1", b: "2" })),
    patch("json", [
      { op: "replace", path: "/data/a", value: "9" },
      { op: "add", path: "/data/c", value: "3" },
      { op: "remove", path: "/data/b" },
    ]),
  ],
  "JSON patch tests, moves and copies": [
    make(configMap("a", { a: "1", b: "2" })),
    patch("json", [
      { op: "test", path: "/data/a", value: "1" },
      { op: "move", from: "/data/b", path: "/data/c" },
      { op: "copy", from: "/data/a", path: "/data/d" },
    ]),
  ],
  "JSON patch whose test fails": [
    make(configMap("a")),
    patch("json", [{ op: "test", path: "/data/a", value: "2" }]),
    read,
  ],
  "JSON patch on paths that are not there": [
    make(configMap("a")),
    patch("json", [{ op: "remove", path: "/data/none" }]),
    patch("json", [{ op: "replace", path: "/data/none", value: "1" }]),
    patch("json", [{ op: "add", path: "/none/deep", value: "1" }]),
    patch("json", [{ op: "copy", from: "/data/none", path: "/data/x" }]),
  ],
  "JSON patch that is malformed": [
    make(configMap("a")),
    patch("json", { op: "add" }),
    patch("json", [{ op: "bogus", path: "/data/a" }]),
    patch("json", [{ op: "add", path: "data" }]),
    { ...patch("json", undefined), text: "[{" },
  ],
  "JSON patch of lists": [
    deploy,
    patchDeploy("json", [{ op: "add", path: "/spec/template/spec/containers/-", value: container("two") }]),
    patchDeploy("json", [{ op: "add", path: "/spec/template/spec/containers/0", value: container("zero") }]),
    patchDeploy("json", [{ op: "remove", path: "/spec/template/spec/containers/1" }]),
    patchDeploy("json", [{ op: "replace", path: "/spec/template/spec/containers/9/image", value: "x" }]),
  ],
  "JSON patch with escaped keys": [
    make(configMap("a", { "a.b": "1" }, { annotations: { "example.com/x": "1" } })),
    patch("json", [{ op: "replace", path: "/metadata/annotations/example.com~1x", value: "2" }]),
  ],
  "JSON patch that does nothing": [make(configMap("a")), patch("json", [])],
  "JSON patch cannot make an object invalid": [
    deploy,
    patchDeploy("json", [{ op: "replace", path: "/spec/replicas", value: -1 }]),
    patchDeploy("json", [{ op: "remove", path: "/spec/template/spec/containers/0" }]),
  ],
  "strategic patch merges containers by name": [
    deploy,
    strategic([{ name: "main", image: "main:2.0" }]),
    strategic([{ name: "side", image: "side:1" }]),
  ],
  "strategic patch deletes a container": [
    deploy,
    strategic([{ name: "side", image: "side:1" }]),
    strategic([{ name: "main", $patch: "delete" }]),
  ],
  "strategic patch replaces a list": [deploy, strategic([{ $patch: "replace" }, { name: "only", image: "only:1" }])],
  "strategic patch merges environment and ports": [
    {
      send: `POST ${apps}/deployments`,
      body: deployment("a", {
        template: {
          metadata: { labels: { app: "a" } },
          spec: {
            containers: [container("main", { env: [{ name: "A", value: "1" }], ports: [{ containerPort: 80 }] })],
          },
        },
      }),
      ignored: true,
    },
    strategic([{ name: "main", env: [{ name: "B", value: "2" }], ports: [{ containerPort: 81 }] }]),
    strategic([{ name: "main", env: [{ name: "A", $patch: "delete" }] }]),
  ],
  "strategic patch replaces atomic lists": [
    {
      send: `POST ${core}/pods`,
      body: pod("a", { containers: [container("main", { args: ["a", "b"] })] }),
      ignored: true,
    },
    {
      send: `PATCH ${core}/pods/a?dryRun=All`,
      as: "strategic",
      body: { spec: { tolerations: [{ key: "x", operator: "Exists" }] } },
    },
  ],
  "strategic patch merges finalizers and labels": [
    make(configMap("a", {}, { finalizers: ["example.com/a"], labels: { a: "1" } })),
    patch("strategic", { metadata: { finalizers: ["example.com/b"], labels: { b: "2" } } }),
    patch("strategic", { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a"], labels: { a: null } } }),
    patch("strategic", { metadata: { finalizers: [], "$deleteFromPrimitiveList/finalizers": ["example.com/b"] } }),
  ],
  "strategic patch sets the order": [
    deploy,
    strategic([
      { name: "b", image: "b:1" },
      { name: "c", image: "c:1" },
    ]),
    strategic([{ name: "a", image: "a:1" }], {
      "$setElementOrder/containers": [{ name: "c" }, { name: "a" }, { name: "b" }, { name: "main" }],
    }),
  ],
  "strategic patch retains keys": [
    deploy,
    patchDeploy("strategic", { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }),
  ],
  "strategic patch deletes and replaces maps": [
    make(configMap("a", { a: "1" }, { labels: { x: "y" } })),
    patch("strategic", { data: { $patch: "replace", z: "9" } }),
    patch("strategic", { metadata: { labels: { $patch: "delete" } } }),
  ],
  "strategic patch with bad directives": [
    deploy,
    strategic([{ image: "x" }]),
    patchDeploy("strategic", { spec: { strategy: { $patch: "bogus" } } }),
    strategic([{ name: "main", $patch: "bogus" }]),
  ],
  "strategic patch that is no object": [
    make(configMap("a")),
    patch("strategic", [1]),
    { ...patch("strategic", undefined), text: "nope" },
  ],
  "strategic patch of service ports by port and protocol": [
    { send: `POST ${core}/services`, body: service("s", { ports: [{ name: "a", port: 1 }] }), ignored: true },
    { send: `PATCH ${core}/services/s`, as: "strategic", body: { spec: { ports: [{ name: "b", port: 2 }] } } },
    { send: `PATCH ${core}/services/s`, as: "strategic", body: { spec: { ports: [{ port: 1, targetPort: 99 }] } } },
  ],
  "an unknown kind of patch": [
    make(configMap("a")),
    { send: `PATCH ${cm}/a`, as: "application/json", body: {} },
    { send: `PATCH ${cm}/a`, as: "text/plain", text: "x" },
  ],
  "apply creates": [apply(configMap("a")), read],
  "apply by its manager changes and removes": [
    apply(configMap("a", { a: "1", b: "2" })),
    apply(configMap("a", { a: "9" })),
    apply(configMap("a", { a: "9" })),
  ],
  "apply needs a manager": [{ send: `PATCH ${cm}/a`, as: "apply", body: configMap("a") }],
  "apply conflicts with another manager": [
    apply(configMap("a", { a: "1" })),
    apply(configMap("a", { a: "2", b: "2" }), "fieldManager=two"),
    apply(configMap("a", { a: "2", b: "2" }), "fieldManager=two&force=true"),
    apply(configMap("a", { a: "1" })),
  ],
  "apply of the same value is shared": [
    apply(configMap("a", { a: "1" })),
    apply(configMap("a", { a: "1", b: "2" }), "fieldManager=two"),
    apply(configMap("a", {})),
    read,
  ],
  "apply conflicts with an update": [
    make(configMap("a", { a: "1", b: "2" })),
    apply(configMap("a", { a: "9" })),
    apply(configMap("a", { a: "1" })),
    apply(configMap("a", { a: "9", b: "8" }), "fieldManager=one&force=true"),
  ],
  "an update takes ownership": [
    apply(configMap("a", { a: "1", b: "2" })),
    { send: `PUT ${cm}/a`, body: configMap("a", { a: "9", b: "2" }) },
    apply(configMap("a", { a: "1", b: "2" })),
  ],
  "apply of several conflicting fields names them all": [
    make(configMap("a", { a: "1", b: "2", c: "3" }, { labels: { l: "m" } })),
    apply(configMap("a", { a: "x", b: "y" }, { labels: { l: "n" } })),
  ],
  "apply of a deployment owns its fields by key": [
    applyDeploy(appliedDeployment()),
    applyDeploy(appliedDeployment({ replicas: 3 })),
    applyDeploy(appliedDeployment()),
  ],
  "apply of containers by two managers": [
    applyDeploy(appliedDeployment()),
    applyDeploy(
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "a" },
        spec: { template: { spec: { containers: [{ name: "side", image: "side:1" }] } } },
      },
      "fieldManager=two",
    ),
    applyDeploy(appliedDeployment()),
    applyDeploy({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" } }, "fieldManager=two"),
  ],
  "apply leaves what a patch scaled": [
    applyDeploy(appliedDeployment()),
    patchDeploy("merge", { spec: { replicas: 4 } }),
    applyDeploy(appliedDeployment()),
    applyDeploy(appliedDeployment({ replicas: 2 })),
  ],
  "apply of duplicate keys": [
    applyDeploy(
      appliedDeployment({
        template: { metadata: { labels: { app: "a" } }, spec: { containers: [container("main"), container("main")] } },
      }),
    ),
  ],
  "apply of unknown fields": [
    apply({ ...configMap("a"), spec: { x: 1 } }),
    apply({ ...configMap("b"), spec: { x: 1 } }, "fieldManager=one&fieldValidation=Strict", "b"),
  ],
  "apply of the wrong type": [apply({ ...configMap("a"), data: { a: 1 } }), apply({ ...configMap("a"), data: ["a"] })],
  "apply with another kind, name or namespace": [
    apply({ ...configMap("a"), kind: "Secret" }),
    apply(configMap("b")),
    apply(configMap("a", {}, { namespace: "other" })),
    apply({ kind: "ConfigMap", metadata: { name: "a" } }),
  ],
  "apply with managed fields": [apply(configMap("a", {}, { managedFields: [{ manager: "x" }] }))],
  "apply with a version or uid that is not there": [
    apply(configMap("a", {}, { resourceVersion: "5" })),
    apply(configMap("a", {}, { uid: "00000000-0000-0000-0000-000000000000" })),
  ],
  "apply in YAML": [
    {
      send: `PATCH ${cm}/a?fieldManager=one`,
      as: "apply",
      text: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n",
    },
  ],
  "apply of text that is no object": [
    { send: `PATCH ${cm}/a?fieldManager=one`, as: "apply", text: "just text" },
    { send: `PATCH ${cm}/a?fieldManager=one`, as: "apply", text: "a: [" },
  ],
  "apply as a dry run": [
    { send: `PATCH ${cm}/a?fieldManager=one&dryRun=All`, as: "apply", body: configMap("a") },
    read,
  ],
  "apply of a status": [
    deploy,
    {
      send: `PATCH ${apps}/deployments/a/status?fieldManager=one`,
      as: "apply",
      body: { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" }, status: { replicas: 3 } },
    },
    {
      send: `PATCH ${apps}/deployments/absent/status?fieldManager=one`,
      as: "apply",
      body: { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "absent" }, status: { replicas: 3 } },
    },
  ],
  "apply removes a list element that nobody else wants": [
    {
      send: `PATCH ${core}/services/s?fieldManager=one`,
      as: "apply",
      body: service("s", {
        ports: [
          { name: "a", port: 1 },
          { name: "b", port: 2 },
        ],
      }),
    },
    {
      send: `PATCH ${core}/services/s?fieldManager=one`,
      as: "apply",
      body: service("s", { ports: [{ name: "a", port: 1 }] }),
    },
  ],
  "managed fields can be taken away": [
    apply(configMap("a")),
    patch("merge", { metadata: { managedFields: [{}] } }),
    patch("merge", { data: { b: "2" } }),
  ],
  "a manager is named by its agent or by the query": [
    make(configMap("a")),
    { send: `PATCH ${cm}/a?fieldManager=named`, as: "merge", body: { data: { b: "2" } } },
    { send: `PATCH ${cm}/a?fieldManager=named`, as: "json", body: [{ op: "add", path: "/data/c", value: "3" }] },
  ],
  "force without apply": [make(configMap("a")), { send: `PATCH ${cm}/a?force=true`, as: "merge", body: {} }],
  "patching a namespace": [
    { send: "PATCH /api/v1/namespaces/ID", as: "merge", body: { metadata: { labels: { team: "x" } } } },
    { send: "PATCH /api/v1/namespaces/ID", as: "merge", body: { spec: { finalizers: [] } } },
  ],
  "patching an object that is being deleted": [
    make(configMap("a", {}, { finalizers: ["example.com/hold"] })),
    { send: `DELETE ${cm}/a`, ignored: true },
    patch("merge", { metadata: { finalizers: ["example.com/hold", "example.com/more"] } }),
    patch("merge", { data: { late: "yes" } }),
    patch("json", [{ op: "remove", path: "/metadata/finalizers" }]),
    patch("merge", { data: { late: "no" } }),
  ],
  "patching the scale of a deployment": [
    deploy,
    { send: `PATCH ${apps}/deployments/a/scale`, as: "merge", body: { spec: { replicas: 3 } } },
    { send: `PATCH ${apps}/deployments/a/scale`, as: "merge", body: { spec: { replicas: -1 } } },
    { send: `PATCH ${apps}/deployments/none/scale`, as: "merge", body: { spec: { replicas: 1 } } },
    { send: `GET ${apps}/deployments/a` },
  ],
  "apply gives up a field by leaving it out": [
    apply(configMap("a", { a: "1", b: "2" })),
    apply(configMap("a", { b: "2" }), "fieldManager=two"),
    apply(configMap("a", { a: "1" })),
    read,
    apply(configMap("a", {}), "fieldManager=two"),
    read,
  ],
};
