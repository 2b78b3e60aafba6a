import type { Cases } from "../contract-case.ts";
import { made, make, open, sized, widget, widgets, withStatus, withType } from "./widgets.ts";

/** Objects of custom types: the life of one, its status and scale, patches, watches and selection. */
export const customObjects: Cases = {
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
