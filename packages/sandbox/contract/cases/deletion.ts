import type { Cases, RequestStep } from "../contract-case.ts";
import { apps, claim, configMap, core, deployment, pod, secret, service, volume } from "./objects.ts";

const cm = `${core}/configmaps`;
const make = (body: object): RequestStep => ({ send: `POST ${cm}`, body, ignored: true });
const options = (more: object) => ({ apiVersion: "v1", kind: "DeleteOptions", ...more });
const owner = (more: object = {}) => ({ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "$uid", ...more });
const makeOwner: RequestStep = {
  send: `POST ${cm}`,
  body: configMap("owner"),
  save: { uid: "metadata.uid" },
  ignored: true,
};
const owned = (name: string, more: object = {}): RequestStep =>
  make(configMap(name, {}, { ownerReferences: [owner(more)] }));
const gone = (name: string): RequestStep => ({ send: `GET ${cm}/${name}`, until: { code: 404 } });

/** Deleting: at once, in order, with what belongs to it. */
export const deletion: Cases = {
  "deleting answers with a status": [make(configMap("a")), { send: `DELETE ${cm}/a` }, { send: `GET ${cm}/a` }],
  "deleting names the group": [
    { send: `POST ${apps}/deployments`, body: deployment("a"), ignored: true },
    { send: `DELETE ${apps}/deployments/a` },
  ],
  "deleting what is not there": [{ send: `DELETE ${cm}/absent` }],
  "deleting a secret, a service account, a service": [
    { send: `POST ${core}/secrets`, body: secret("a"), ignored: true },
    { send: `DELETE ${core}/secrets/a` },
    {
      send: `POST ${core}/serviceaccounts`,
      body: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "a" } },
      ignored: true,
    },
    { send: `DELETE ${core}/serviceaccounts/a` },
    { send: `POST ${core}/services`, body: service("a"), ignored: true },
    { send: `DELETE ${core}/services/a` },
  ],
  "deleting with the right and the wrong uid": [
    { send: `POST ${cm}`, body: configMap("a"), save: { uid: "metadata.uid" }, ignored: true },
    { send: `DELETE ${cm}/a`, body: options({ preconditions: { uid: "00000000-0000-0000-0000-000000000000" } }) },
    { send: `DELETE ${cm}/a`, body: options({ preconditions: { uid: "$uid" } }) },
  ],
  "deleting with the right and the wrong version": [
    { send: `POST ${cm}`, body: configMap("a"), save: { rv: "metadata.resourceVersion" }, ignored: true },
    { send: `DELETE ${cm}/a`, body: options({ preconditions: { resourceVersion: "1" } }) },
    { send: `DELETE ${cm}/a`, body: options({ preconditions: { resourceVersion: "$rv" } }) },
  ],
  "deleting as a dry run": [
    make(configMap("a")),
    { send: `DELETE ${cm}/a?dryRun=All` },
    { send: `DELETE ${cm}/a`, body: options({ dryRun: ["All"] }) },
    { send: `GET ${cm}/a` },
  ],
  "options that are wrong": [
    make(configMap("a")),
    { send: `DELETE ${cm}/a`, body: options({ propagationPolicy: "Bogus" }) },
    { send: `DELETE ${cm}/a`, body: options({ gracePeriodSeconds: -1 }) },
    { send: `DELETE ${cm}/a`, body: options({ propagationPolicy: "Orphan", orphanDependents: true }) },
    { send: `DELETE ${cm}/a?dryRun=Some` },
    { send: `DELETE ${cm}/a`, text: "{", as: "application/json" },
  ],
  "a finalizer holds an object": [
    make(configMap("a", {}, { finalizers: ["example.com/f"] })),
    { send: `DELETE ${cm}/a` },
    { send: `GET ${cm}/a` },
    { send: `DELETE ${cm}/a` },
    { send: `PATCH ${cm}/a`, as: "merge", body: { metadata: { finalizers: ["example.com/g", "example.com/f"] } } },
    { send: `PATCH ${cm}/a`, as: "merge", body: { metadata: { finalizers: null } } },
    { send: `GET ${cm}/a` },
  ],
  "the last of two finalizers lets go": [
    make(configMap("a", {}, { finalizers: ["example.com/f", "example.com/g"] })),
    { send: `DELETE ${cm}/a`, ignored: true },
    { send: `PATCH ${cm}/a`, as: "json", body: [{ op: "remove", path: "/metadata/finalizers/0" }] },
    { send: `PATCH ${cm}/a`, as: "json", body: [{ op: "remove", path: "/metadata/finalizers" }] },
    { send: `GET ${cm}/a` },
  ],
  "an update takes the last finalizer away": [
    make(configMap("a", {}, { finalizers: ["example.com/f"] })),
    { send: `DELETE ${cm}/a`, ignored: true },
    { send: `PUT ${cm}/a`, body: configMap("a", { late: "1" }) },
    { send: `GET ${cm}/a` },
  ],
  "an object being deleted can be changed otherwise": [
    make(configMap("a", {}, { finalizers: ["example.com/f"] })),
    { send: `DELETE ${cm}/a`, ignored: true },
    { send: `PATCH ${cm}/a`, as: "merge", body: { data: { x: "1" } } },
    { send: `POST ${cm}`, body: configMap("a") },
  ],
  "a finalizer on a type that counts generations": [
    { send: `POST ${apps}/deployments`, body: deployment("a", {}, { finalizers: ["example.com/f"] }), ignored: true },
    { send: `DELETE ${apps}/deployments/a` },
  ],
  "a watch sees the mark and the end": [
    make(configMap("a", {}, { finalizers: ["example.com/f"] })),
    { send: `GET ${cm}`, save: { rv: "metadata.resourceVersion" }, ignored: true },
    { watch: "w", path: `${cm}?watch=true&resourceVersion=$rv&fieldSelector=metadata.name=a` },
    { send: `DELETE ${cm}/a`, ignored: true },
    { send: `PATCH ${cm}/a`, as: "merge", body: { metadata: { finalizers: null } }, ignored: true },
    { events: "w", count: 2 },
  ],
  "dependents go with their owner in the background": [
    makeOwner,
    owned("child"),
    { send: `DELETE ${cm}/owner` },
    gone("owner"),
    gone("child"),
  ],
  "dependents of dependents go too": [
    makeOwner,
    {
      send: `POST ${cm}`,
      body: configMap("child", {}, { ownerReferences: [owner()] }),
      save: { child: "metadata.uid" },
      ignored: true,
    },
    make(
      configMap(
        "grandchild",
        {},
        { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "child", uid: "$child" }] },
      ),
    ),
    { send: `DELETE ${cm}/owner`, body: options({ propagationPolicy: "Background" }) },
    gone("child"),
    gone("grandchild"),
  ],
  "an owner waits for its dependents in the foreground": [
    makeOwner,
    make(
      configMap("child", {}, { ownerReferences: [owner({ blockOwnerDeletion: true })], finalizers: ["example.com/f"] }),
    ),
    { send: `DELETE ${cm}/owner`, body: options({ propagationPolicy: "Foreground" }) },
    { send: `GET ${cm}/child`, until: { body: { metadata: { deletionTimestamp: "TIME" } } } },
    { send: `GET ${cm}/owner` },
    { send: `PATCH ${cm}/child`, as: "merge", body: { metadata: { finalizers: null } }, ignored: true },
    gone("child"),
    gone("owner"),
  ],
  "an owner without dependents goes in the foreground at once": [
    makeOwner,
    { send: `DELETE ${cm}/owner?propagationPolicy=Foreground` },
    gone("owner"),
  ],
  "dependents are orphaned": [
    makeOwner,
    owned("child"),
    { send: `DELETE ${cm}/owner`, body: options({ propagationPolicy: "Orphan" }) },
    gone("owner"),
    { send: `GET ${cm}/child` },
  ],
  "orphaning by the older option": [
    makeOwner,
    owned("child"),
    { send: `DELETE ${cm}/owner`, body: options({ orphanDependents: true }) },
    gone("owner"),
    { send: `GET ${cm}/child` },
  ],
  "a dependent of two owners stays until both are gone": [
    makeOwner,
    { send: `POST ${cm}`, body: configMap("second"), save: { two: "metadata.uid" }, ignored: true },
    make(
      configMap(
        "child",
        {},
        { ownerReferences: [owner(), { apiVersion: "v1", kind: "ConfigMap", name: "second", uid: "$two" }] },
      ),
    ),
    { send: `DELETE ${cm}/owner`, ignored: true },
    {
      send: `GET ${cm}/child`,
      until: { body: { metadata: { ownerReferences: [{ name: "second" }] } } },
      ignored: true,
    },
    { send: `DELETE ${cm}/second`, ignored: true },
    gone("child"),
  ],
  "a collection is deleted": [
    make(configMap("a", {}, { labels: { x: "1" } })),
    make(configMap("b", {}, { labels: { x: "1" } })),
    make(configMap("c")),
    { send: `DELETE ${cm}?labelSelector=x=1` },
    { send: `GET ${cm}/a` },
    { send: `GET ${cm}/c` },
  ],
  "a collection of nothing is deleted": [{ send: `DELETE ${core}/secrets?labelSelector=none=1` }],
  "a collection in which a finalizer holds one": [
    make(configMap("a", {}, { labels: { x: "1" }, finalizers: ["example.com/f"] })),
    make(configMap("b", {}, { labels: { x: "1" } })),
    { send: `DELETE ${cm}?labelSelector=x=1`, ignored: true },
    { send: `GET ${cm}?labelSelector=x=1` },
  ],
  "a pod without a node goes at once": [
    { send: `POST ${core}/pods`, body: pod("a"), ignored: true },
    { send: `DELETE ${core}/pods/a` },
    { send: `GET ${core}/pods/a` },
  ],
  "a pod on a node gets its grace": [
    { send: `POST ${core}/pods`, body: pod("a", { nodeName: "n" }), ignored: true },
    { send: `DELETE ${core}/pods/a` },
    { send: `GET ${core}/pods/a` },
    { send: `DELETE ${core}/pods/a?gracePeriodSeconds=5` },
    { send: `DELETE ${core}/pods/a`, body: options({ gracePeriodSeconds: 0 }) },
    { send: `GET ${core}/pods/a` },
  ],
  "a pod on a node with a grace of its own": [
    { send: `POST ${core}/pods`, body: pod("a", { nodeName: "n", terminationGracePeriodSeconds: 7 }), ignored: true },
    { send: `DELETE ${core}/pods/a` },
    { send: `POST ${core}/pods`, body: pod("b", { nodeName: "n", terminationGracePeriodSeconds: 0 }), ignored: true },
    { send: `DELETE ${core}/pods/b` },
  ],
  "a pod that has ended goes at once": [
    { send: `POST ${core}/pods`, body: pod("a", { nodeName: "n" }), ignored: true },
    { send: `PATCH ${core}/pods/a/status`, as: "merge", body: { status: { phase: "Succeeded" } }, ignored: true },
    { send: `DELETE ${core}/pods/a`, ignored: true },
    { send: `GET ${core}/pods/a` },
  ],
  "claims and volumes are protected": [
    { send: `POST ${core}/persistentvolumeclaims`, body: claim("a"), ignored: true },
    { send: `DELETE ${core}/persistentvolumeclaims/a` },
    { send: "POST /api/v1/persistentvolumes", body: volume("ID"), ignored: true },
    { send: "DELETE /api/v1/persistentvolumes/ID" },
  ],
  "a namespace goes with what is in it": [
    make(configMap("a")),
    { send: `POST ${core}/pods`, body: pod("p"), ignored: true },
    { send: "DELETE /api/v1/namespaces/ID" },
    { send: "GET /api/v1/namespaces/ID", until: { code: 404 } },
    { send: `GET ${cm}/a` },
  ],
  "a namespace that is going takes nothing new": [
    make(configMap("held", {}, { finalizers: ["example.com/f"] })),
    { send: "DELETE /api/v1/namespaces/ID", ignored: true },
    { send: "GET /api/v1/namespaces/ID", until: { body: { status: { phase: "Terminating" } } }, ignored: true },
    { send: `POST ${cm}`, body: configMap("new") },
    { send: `POST ${apps}/deployments`, body: deployment("new") },
    { send: `GET ${cm}/held`, until: { body: { metadata: { deletionTimestamp: "TIME" } } } },
    { send: `PATCH ${cm}/held`, as: "merge", body: { metadata: { finalizers: null } }, ignored: true },
    { send: "GET /api/v1/namespaces/ID", until: { code: 404 } },
  ],
  "a namespace says what it still holds": [
    make(configMap("held", {}, { finalizers: ["example.com/f"] })),
    { send: "DELETE /api/v1/namespaces/ID", ignored: true },
    {
      send: "GET /api/v1/namespaces/ID",
      until: { body: { status: { conditions: [{ type: "NamespaceFinalizersRemaining", status: "True" }] } } },
    },
  ],
  "namespaces of the system are not deleted": [
    { send: "DELETE /api/v1/namespaces/default" },
    { send: "DELETE /api/v1/namespaces/kube-system" },
  ],
};
