import type { Cases, RequestStep } from "../contract-case.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const group = "ID.example.com";
const widgets = `/apis/${group}/v1/namespaces/ID/widgets`;

const names = { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" };

const version = (schema: object, more: object = {}) => ({
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  ...more,
});

const crd = (versions: readonly object[], spec: object = {}) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `widgets.${group}` },
  spec: { group, scope: "Namespaced", names, versions, ...spec },
});

const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const sized = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 1, maximum: 10 },
        color: { type: "string", enum: ["red", "blue"], default: "red" },
        name: { type: "string", pattern: "^[a-z]+$", maxLength: 5, minLength: 2 },
        tags: { type: "array", items: { type: "string" }, maxItems: 2, "x-kubernetes-list-type": "set" },
        parts: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["id"],
          items: {
            type: "object",
            required: ["id"],
            properties: { id: { type: "string" }, count: { type: "integer", default: 1 } },
          },
        },
        port: { "x-kubernetes-int-or-string": true },
        extra: { type: "object", additionalProperties: { type: "integer" } },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        when: { type: "string", format: "date-time" },
        maybe: { type: "string", nullable: true },
        ratio: { type: "number", multipleOf: 0.5 },
        choice: {
          type: "object",
          properties: { a: { type: "string" }, b: { type: "string" } },
          oneOf: [{ required: ["a"] }, { required: ["b"] }],
        },
        embedded: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
    },
    status: {
      type: "object",
      properties: { phase: { type: "string" }, ready: { type: "integer" }, selector: { type: "string" } },
    },
  },
};

const define = (body: object): RequestStep => ({ send: `POST ${crds}`, body, ignored: true });
const established: RequestStep = {
  send: `GET ${crds}/widgets.${group}`,
  until: { body: { status: { conditions: [{ type: "Established", status: "True" }] } } },
  ignored: true,
};
/** The real server serves a type a moment after it is established. */
const served: RequestStep = { send: `GET ${widgets}`, until: { code: 200 }, ignored: true };
const withType = (schema: object, more: object = {}): readonly RequestStep[] => [
  define(crd([version(schema, more)])),
  established,
  served,
];
const withStatus = { subresources: { status: {} } };
const widget = (name: string, spec: unknown = { size: 1 }, more: object = {}) => ({
  apiVersion: `${group}/v1`,
  kind: "Widget",
  metadata: { name },
  spec,
  ...more,
});
const make = (body: object): RequestStep => ({ send: `POST ${widgets}`, body });
const made = (body: object): RequestStep => ({ ...make(body), ignored: true });

/** Custom resource definitions and their objects. */
export const custom: Cases = {
  "a definition is created and established": [
    { send: `POST ${crds}`, body: crd([version(open)], { names: { plural: "widgets", kind: "Widget" } }) },
    {
      send: `GET ${crds}/widgets.${group}`,
      until: { body: { status: { conditions: [{ type: "Established", status: "True" }] } } },
    },
  ],
  "a definition shows up in discovery": [
    ...withType(sized, {
      subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.ready" } },
    }),
    { send: `GET /apis/${group}`, until: { code: 200 } },
    { send: `GET /apis/${group}/v1`, until: { code: 200 } },
  ],
  "a definition with every name": [
    define(crd([version(open)], { names: { ...names, shortNames: ["wd"], categories: ["all", "tools"] } })),
    established,
    { send: `GET /apis/${group}/v1`, until: { code: 200 } },
  ],
  "a definition's name must be that of its type": [
    { send: `POST ${crds}`, body: { ...crd([version(open)]), metadata: { name: `gadgets.${group}` } } },
  ],
  "a definition needs a schema": [{ send: `POST ${crds}`, body: crd([{ name: "v1", served: true, storage: true }]) }],
  "a definition needs one stored version": [
    { send: `POST ${crds}`, body: crd([version(open, { storage: false })]) },
    { send: `POST ${crds}`, body: crd([version(open), { ...version(open), name: "v2" }]) },
  ],
  "a definition needs a valid scope and group": [
    { send: `POST ${crds}`, body: crd([version(open)], { scope: "Galaxy" }) },
    {
      send: `POST ${crds}`,
      body: { ...crd([version(open)], { group: "nodots" }), metadata: { name: "widgets.nodots" } },
    },
  ],
  "a definition's schema must be structural": [
    {
      send: `POST ${crds}`,
      body: crd([version({ type: "object", properties: { spec: { properties: { a: { type: "string" } } } } })]),
    },
    { send: `POST ${crds}`, body: crd([version({ properties: { spec: { type: "object" } } })]) },
    { send: `POST ${crds}`, body: crd([version({ type: "object", properties: { spec: { type: "bogus" } } })]) },
    {
      send: `POST ${crds}`,
      body: crd([version({ type: "object", properties: { spec: { type: "string", pattern: "[" } } })]),
    },
    { send: `POST ${crds}`, body: crd([version({ type: "object", properties: { spec: { type: "array" } } })]) },
  ],
  "a definition's defaults must be valid": [
    {
      send: `POST ${crds}`,
      body: crd([
        version({
          type: "object",
          properties: { spec: { type: "object", properties: { n: { type: "integer", default: "x" } } } },
        }),
      ]),
    },
  ],
  "a definition's names cannot change": [
    ...withType(open),
    { send: `GET ${crds}/widgets.${group}`, save: { rv: "metadata.resourceVersion" }, ignored: true },
    { send: `PATCH ${crds}/widgets.${group}`, as: "merge", body: { spec: { names: { kind: "Gadget" } } } },
    { send: `PATCH ${crds}/widgets.${group}`, as: "merge", body: { spec: { scope: "Cluster" } } },
  ],
  "names that another definition has are refused": [
    ...withType(open),
    {
      send: `POST ${crds}`,
      body: {
        ...crd([version(open)], {
          names: { plural: "others", singular: "other", kind: "Widget", listKind: "OtherList" },
        }),
        metadata: { name: `others.${group}` },
      },
      ignored: true,
    },
    {
      send: `GET ${crds}/others.${group}`,
      until: {
        body: {
          status: {
            conditions: [
              { type: "NamesAccepted", status: "False" },
              { type: "Established", status: "False" },
            ],
          },
        },
      },
    },
  ],
  "an object is created, read, replaced and listed": [
    ...withType(open),
    make(widget("a", { any: { thing: [1, "x", null] } })),
    { send: `GET ${widgets}/a`, save: { rv: "metadata.resourceVersion" } },
    {
      send: `PUT ${widgets}/a`,
      body: { ...widget("a", { other: true }), metadata: { name: "a", resourceVersion: "$rv" } },
    },
    { send: `GET ${widgets}` },
  ],
  "an update must say which version it replaces": [
    ...withType(open),
    made(widget("a")),
    { send: `PUT ${widgets}/a`, body: widget("a", { size: 2 }) },
  ],
  "an update of what is not there": [
    ...withType(open),
    { send: `PUT ${widgets}/a`, body: { ...widget("a"), metadata: { name: "a", resourceVersion: "1" } } },
  ],
  "kind and version are needed": [
    ...withType(open),
    make({ metadata: { name: "a" } }),
    make({ ...widget("a"), kind: "Gadget" }),
    make({ ...widget("a"), apiVersion: "v1" }),
  ],
  "creating twice is a conflict": [...withType(open), made(widget("a")), make(widget("a"))],
  "names must be valid": [...withType(open), make(widget("Not_Valid")), make(widget("a".repeat(254)))],
  "names are generated": [...withType(open), make({ ...widget(""), metadata: { generateName: "w-" } })],
  "defaults are filled in": [
    ...withType(sized),
    make(widget("a")),
    make(widget("b", { size: 2, parts: [{ id: "x" }, { id: "y", count: 5 }] })),
  ],
  "unknown fields are pruned, with a warning": [
    ...withType(sized),
    make(widget("a", { size: 1, unknown: 1, parts: [{ id: "x", more: 2 }], free: { kept: true } }, { top: 1 })),
    { send: `POST ${widgets}?fieldValidation=Strict`, body: widget("b", { size: 1, unknown: 1 }, { top: 1 }) },
    { send: `POST ${widgets}?fieldValidation=Ignore`, body: widget("c", { size: 1, unknown: 1 }) },
  ],
  "unknown metadata": [
    ...withType(sized),
    make({ ...widget("a"), metadata: { name: "a", bogus: 1 } }),
    { send: `POST ${widgets}?fieldValidation=Strict`, body: { ...widget("b"), metadata: { name: "b", bogus: 1 } } },
  ],
  "metadata of the wrong type": [
    ...withType(open),
    make({ ...widget("a"), metadata: { name: "a", labels: { x: 1 } } }),
    make({ ...widget("a"), metadata: { name: "a", finalizers: "x" } }),
  ],
  "a required field is missing": [...withType(sized), make(widget("a", {}))],
  "a number is out of range": [...withType(sized), make(widget("a", { size: 0 })), make(widget("a", { size: 11 }))],
  "a value has the wrong type": [
    ...withType(sized),
    make(widget("a", { size: "one" })),
    make(widget("a", { size: 1.5 })),
    make(widget("a", [])),
    make(widget("a", { size: 1, tags: "x" })),
    make(widget("a", { size: 1, extra: { k: "v" } })),
  ],
  "a value is none of the allowed": [...withType(sized), make(widget("a", { size: 1, color: "green" }))],
  "a text does not fit": [
    ...withType(sized),
    make(widget("a", { size: 1, name: "A1" })),
    make(widget("a", { size: 1, name: "abcdefgh" })),
    make(widget("a", { size: 1, name: "a" })),
  ],
  "a list is too long or not a set": [
    ...withType(sized),
    make(widget("a", { size: 1, tags: ["a", "b", "c"] })),
    make(widget("a", { size: 1, tags: ["a", "a"] })),
    make(widget("a", { size: 1, parts: [{ id: "x" }, { id: "x" }] })),
    make(widget("a", { size: 1, parts: [{ count: 1 }] })),
  ],
  "a number or a text": [
    ...withType(sized),
    make(widget("a", { size: 1, port: 80 })),
    make(widget("b", { size: 1, port: "http" })),
    make(widget("c", { size: 1, port: true })),
  ],
  "a time must be a time": [
    ...withType(sized),
    make(widget("a", { size: 1, when: "2024-01-01T00:00:00Z" })),
    make(widget("b", { size: 1, when: "yesterday" })),
  ],
  "null where it may be and where not": [
    ...withType(sized),
    make(widget("a", { size: 1, maybe: null })),
    make(widget("b", { size: 1, name: null })),
    make(widget("c", { size: null })),
  ],
  "a multiple of": [
    ...withType(sized),
    make(widget("a", { size: 1, ratio: 1.5 })),
    make(widget("b", { size: 1, ratio: 1.3 })),
  ],
  "one of several": [
    ...withType(sized),
    make(widget("a", { size: 1, choice: { a: "x" } })),
    make(widget("b", { size: 1, choice: { a: "x", b: "y" } })),
    make(widget("c", { size: 1, choice: {} })),
  ],
  "an embedded object": [
    ...withType(sized),
    make(widget("a", { size: 1, embedded: { apiVersion: "v1", kind: "Thing", metadata: { name: "x" }, any: 1 } })),
    make(widget("b", { size: 1, embedded: { any: 1 } })),
  ],
  "several problems at once": [...withType(sized), make(widget("a", { size: 99, color: "green", name: "A" }))],
  "big numbers survive": [
    ...withType(open),
    {
      ...make({}),
      body: undefined,
      text: JSON.stringify(widget("a", { n: 0 })).replace('"n":0', '"n":9007199254740993'),
    },
  ],
  "status is separate where the definition says so": [
    ...withType(sized, withStatus),
    make(widget("a", { size: 1 }, { status: { phase: "New" } })),
    {
      send: `PATCH ${widgets}/a/status`,
      as: "merge",
      body: { status: { phase: "Ready", bogus: 1 }, spec: { size: 5 }, metadata: { labels: { x: "y" } } },
    },
    { send: `PATCH ${widgets}/a`, as: "merge", body: { status: { phase: "Lost" }, spec: { size: 7 } } },
    { send: `GET ${widgets}/a/status` },
  ],
  "status is part of the object where the definition does not say so": [
    ...withType(sized),
    make(widget("a", { size: 1 }, { status: { phase: "New" } })),
    { send: `PATCH ${widgets}/a/status`, as: "merge", body: { status: { phase: "Ready" } } },
    { send: `PATCH ${widgets}/a`, as: "merge", body: { status: { phase: "Ready" } } },
  ],
  "replacing a status": [
    ...withType(sized, withStatus),
    { ...made(widget("a")), save: { rv: "metadata.resourceVersion" } },
    {
      send: `PUT ${widgets}/a/status`,
      body: {
        ...widget("a", { size: 9 }),
        metadata: { name: "a", resourceVersion: "$rv" },
        status: { phase: "Ready" },
      },
    },
    {
      send: `PUT ${widgets}/a/status`,
      body: { ...widget("a"), metadata: { name: "a", resourceVersion: "$rv" }, status: { phase: "Late" } },
    },
  ],
  "a status is checked": [
    ...withType(sized, withStatus),
    made(widget("a")),
    { send: `PATCH ${widgets}/a/status`, as: "merge", body: { status: { phase: 5 } } },
  ],
  "the generation counts": [
    ...withType(sized, withStatus),
    made(widget("a")),
    { send: `PATCH ${widgets}/a`, as: "merge", body: { spec: { size: 2 } } },
    { send: `PATCH ${widgets}/a`, as: "merge", body: { metadata: { labels: { x: "y" } } } },
    { send: `PATCH ${widgets}/a/status`, as: "merge", body: { status: { ready: 1 } } },
  ],
  scale: [
    ...withType(sized, {
      subresources: {
        status: {},
        scale: {
          specReplicasPath: ".spec.size",
          statusReplicasPath: ".status.ready",
          labelSelectorPath: ".status.selector",
        },
      },
    }),
    made(widget("a", { size: 2 })),
    { send: `PATCH ${widgets}/a/status`, as: "merge", body: { status: { ready: 1, selector: "a=b" } }, ignored: true },
    { send: `GET ${widgets}/a/scale` },
    {
      send: `PUT ${widgets}/a/scale`,
      body: {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "a", namespace: "ID" },
        spec: { replicas: 4 },
      },
    },
    { send: `PATCH ${widgets}/a/scale`, as: "merge", body: { spec: { replicas: 3 } } },
    { send: `GET ${widgets}/a` },
  ],
  "merge and JSON patches": [
    ...withType(sized),
    made(widget("a", { size: 1, tags: ["x"] })),
    { send: `PATCH ${widgets}/a`, as: "merge", body: { spec: { tags: ["y", "z"], color: null } } },
    { send: `PATCH ${widgets}/a`, as: "json", body: [{ op: "replace", path: "/spec/size", value: 3 }] },
    { send: `PATCH ${widgets}/a`, as: "merge", body: { spec: { size: 99 } } },
    { send: `PATCH ${widgets}/a`, as: "strategic", body: {} },
  ],
  "apply owns by the keys of the schema": [
    ...withType(sized),
    {
      send: `PATCH ${widgets}/a?fieldManager=one`,
      as: "apply",
      body: widget("a", { size: 1, tags: ["x"], parts: [{ id: "p" }] }),
    },
    {
      send: `PATCH ${widgets}/a?fieldManager=two`,
      as: "apply",
      body: widget("a", { size: 1, tags: ["y"], parts: [{ id: "q", count: 2 }] }),
    },
    { send: `PATCH ${widgets}/a?fieldManager=two`, as: "apply", body: widget("a", { size: 2 }) },
    { send: `PATCH ${widgets}/a?fieldManager=one`, as: "apply", body: widget("a", { size: 1 }) },
  ],
  "several versions of one type": [
    define(
      crd([
        version(open),
        { ...version(open), name: "v1beta1", storage: false, deprecated: true },
        { ...version(open), name: "v2", storage: false },
      ]),
    ),
    established,
    served,
    {
      send: `GET /apis/${group}`,
      until: { code: 200, body: { versions: [{ version: "v2" }, { version: "v1beta1" }] } },
    },
    { send: `POST /apis/${group}/v2/namespaces/ID/widgets`, body: { ...widget("a"), apiVersion: `${group}/v2` } },
    { send: `GET ${widgets}/a` },
    { send: `GET /apis/${group}/v1beta1/namespaces/ID/widgets/a` },
    { send: `GET /apis/${group}/v2/namespaces/ID/widgets` },
  ],
  "a version that is not served": [
    define(crd([version(open), { ...version(open), name: "v2", storage: false, served: false }])),
    established,
    served,
    { send: `GET /apis/${group}/v2/namespaces/ID/widgets` },
  ],
  "objects without a namespace": [
    define(crd([version(open)], { scope: "Cluster" })),
    established,
    { send: `GET /apis/${group}/v1/widgets`, until: { code: 200 }, ignored: true },
    { send: `POST /apis/${group}/v1/widgets`, body: widget("a") },
    { send: `GET /apis/${group}/v1/widgets` },
    { send: `POST ${widgets}`, body: widget("b") },
  ],
  "selecting by fields": [
    ...withType(sized, { selectableFields: [{ jsonPath: ".spec.color" }] }),
    made(widget("a", { size: 1, color: "blue" })),
    made(widget("b", { size: 1 })),
    { send: `GET ${widgets}?fieldSelector=spec.color=blue` },
    { send: `GET ${widgets}?fieldSelector=metadata.name=b` },
    { send: `GET ${widgets}?fieldSelector=spec.size=1` },
  ],
  "a watch of custom objects": [
    ...withType(sized),
    { send: `GET ${widgets}`, save: { rv: "metadata.resourceVersion" }, ignored: true },
    { watch: "w", path: `${widgets}?watch=true&resourceVersion=$rv` },
    made(widget("a")),
    { send: `DELETE ${widgets}/a`, ignored: true },
    { events: "w", count: 2 },
  ],
  "deleting a definition deletes its objects": [
    ...withType(open),
    made(widget("a")),
    { send: `DELETE ${crds}/widgets.${group}` },
    { send: `GET ${crds}/widgets.${group}`, until: { code: 404 } },
    { send: `GET ${widgets}/a`, until: { code: 404 } },
  ],
  "a schema that becomes stricter holds for changes": [
    ...withType(open),
    made(widget("a", { size: 99, color: "green" })),
    {
      send: `PATCH ${crds}/widgets.${group}`,
      as: "merge",
      body: { spec: { versions: [version(sized)] } },
      ignored: true,
    },
    { send: `POST ${widgets}?dryRun=All`, body: widget("b", { size: 99 }), until: { code: 422 } },
    { send: `PATCH ${widgets}/a`, as: "merge", body: { metadata: { labels: { x: "y" } } } },
    { send: `PATCH ${widgets}/a`, as: "merge", body: { spec: { size: 50 } } },
  ],
  "a pod-shaped deletion of a custom object": [
    ...withType(open),
    made(widget("a")),
    { send: `DELETE ${widgets}/a` },
    { send: `DELETE ${widgets}/a` },
    made({ ...widget("b"), metadata: { name: "b", finalizers: ["example.com/f"] } }),
    { send: `DELETE ${widgets}/b` },
    { send: `PATCH ${widgets}/b`, as: "merge", body: { metadata: { finalizers: null } } },
    { send: `GET ${widgets}/b` },
  ],
};
