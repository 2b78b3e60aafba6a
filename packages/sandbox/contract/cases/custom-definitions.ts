import type { Cases } from "../contract-case.ts";
import {
  crd,
  crds,
  define,
  established,
  group,
  made,
  names,
  open,
  served,
  sized,
  version,
  widget,
  widgets,
  withType,
} from "./widgets.ts";

/** Definitions of custom types: what they may say, their versions and scope, their change and their end. */
export const customDefinitions: Cases = {
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
};
