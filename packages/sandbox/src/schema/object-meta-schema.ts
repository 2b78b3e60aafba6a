import type { StructuralSchema } from "./structural-schema.ts";

const text: StructuralSchema = { type: "string" };
const flag: StructuralSchema = { type: "boolean" };
const count: StructuralSchema = { type: "integer", format: "int64" };
const texts: StructuralSchema = { type: "object", additionalProperties: text };

const ownerReference: StructuralSchema = {
  type: "object",
  "x-kubernetes-map-type": "atomic",
  properties: { apiVersion: text, kind: text, name: text, uid: text, controller: flag, blockOwnerDeletion: flag },
};

const managedFields: StructuralSchema = {
  type: "object",
  properties: {
    manager: text,
    operation: text,
    apiVersion: text,
    time: text,
    fieldsType: text,
    fieldsV1: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    subresource: text,
  },
};

/** The metadata that every object has, which custom resources do not describe themselves. */
export const objectMetaSchema: StructuralSchema = {
  type: "object",
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: count,
    creationTimestamp: { type: "string", nullable: true },
    deletionTimestamp: { type: "string", nullable: true },
    deletionGracePeriodSeconds: count,
    labels: texts,
    annotations: texts,
    ownerReferences: {
      type: "array",
      items: ownerReference,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
    },
    finalizers: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    managedFields: { type: "array", items: managedFields, "x-kubernetes-list-type": "atomic" },
  },
};
