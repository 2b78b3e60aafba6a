import type { Cases } from "../contract-case.ts";
import { make, open, sized, widget, widgets, withType } from "./widgets.ts";

/** Objects of custom types under their schema: defaults, pruning, and each kind of value that does not fit. */
export const customSchemas: Cases = {
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
};
