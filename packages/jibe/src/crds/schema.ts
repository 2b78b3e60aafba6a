/** A structural schema as a CustomResourceDefinition holds it. */
export interface Schema {
  readonly type?: "object" | "string" | "integer" | "boolean" | "array";
  readonly format?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly additionalProperties?: Schema;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-map-type"?: "atomic";
}

export const string: Schema = { type: "string" };
export const boolean: Schema = { type: "boolean" };
export const optionalBoolean: Schema = { type: "boolean", nullable: true };
export const integer: Schema = { type: "integer" };
export const int64: Schema = { type: "integer", format: "int64" };
export const time: Schema = { type: "string", format: "date-time", nullable: true };
/** Go duration text; the API server does not check it, the server does. */
export const duration: Schema = { type: "string" };
export const bytes: Schema = { type: "string", format: "byte" };
/** Anything at all, kept as it is. */
export const anything: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export const oneOf = (...values: readonly string[]): Schema => ({ type: "string", enum: values });
export const list = (items: Schema, { nullable = false } = {}): Schema =>
  nullable ? { type: "array", nullable, items } : { type: "array", items };
export const strings: Schema = list(string, { nullable: true });
export const map = (value: Schema = string): Schema => ({ type: "object", additionalProperties: value });
export const object = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema =>
  required.length > 0 ? { type: "object", properties, required } : { type: "object", properties };
export const nullable = (schema: Schema): Schema => ({ ...schema, nullable: true });

export const labelSelector: Schema = nullable(
  object({
    matchLabels: map(),
    matchExpressions: list(object({ key: string, operator: string, values: list(string) }, ["key", "operator"])),
  }),
);

/** `{name, key}` of a Secret. */
export const secretKey: Schema = object({ name: string, key: string, optional: boolean }, ["key"]);
export const localReference: Schema = nullable(
  object({ apiGroup: nullable(string), kind: string, name: string }, ["kind", "name"]),
);
export const objectReference: Schema = object({
  apiVersion: string,
  fieldPath: string,
  kind: string,
  name: string,
  namespace: string,
  resourceVersion: string,
  uid: string,
});
