import type { RequestStep } from "../contract-case.ts";

export const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const group = "ID.example.com";
export const widgets = `/apis/${group}/v1/namespaces/ID/widgets`;

export const names = { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" };

export const version = (schema: object, more: object = {}) => ({
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  ...more,
});

export const crd = (versions: readonly object[], spec: object = {}) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `widgets.${group}` },
  spec: { group, scope: "Namespaced", names, versions, ...spec },
});

export const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
export const sized = {
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

export const define = (body: object): RequestStep => ({ send: `POST ${crds}`, body, ignored: true });
export const established: RequestStep = {
  send: `GET ${crds}/widgets.${group}`,
  until: { body: { status: { conditions: [{ type: "Established", status: "True" }] } } },
  ignored: true,
};
/** The real server serves a type a moment after it is established. */
export const served: RequestStep = { send: `GET ${widgets}`, until: { code: 200 }, ignored: true };
export const withType = (schema: object, more: object = {}): readonly RequestStep[] => [
  define(crd([version(schema, more)])),
  established,
  served,
];
export const withStatus = { subresources: { status: {} } };
export const widget = (name: string, spec: unknown = { size: 1 }, more: object = {}) => ({
  apiVersion: `${group}/v1`,
  kind: "Widget",
  metadata: { name },
  spec,
  ...more,
});
export const make = (body: object): RequestStep => ({ send: `POST ${widgets}`, body });
export const made = (body: object): RequestStep => ({ ...make(body), ignored: true });
