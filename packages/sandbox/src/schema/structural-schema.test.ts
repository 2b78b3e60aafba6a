import { readFileSync } from "node:fs";
import { cloneJson } from "@jibe/base";
import { describe, expect, test } from "vitest";
import type { FieldError } from "./field-error.ts";
import type { JsonObject } from "./json-object.ts";
import {
  applyDefaults,
  compileSchema,
  prune,
  type StructuralSchema,
  unknownFields,
  unknownFieldTexts,
  validate,
} from "./structural-schema.ts";

interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

interface Recorded {
  readonly schema: StructuralSchema;
  readonly invalid: readonly {
    readonly name: string;
    readonly object: JsonObject;
    readonly causes: readonly Cause[];
  }[];
  readonly valid: readonly {
    readonly name: string;
    readonly object: JsonObject;
    readonly want: JsonObject;
    readonly warnings: readonly string[];
  }[];
  readonly definitions: readonly {
    readonly name: string;
    readonly schema: unknown;
    readonly causes: readonly Cause[];
  }[];
}

/** What Kubernetes 1.36 answered to the same definitions and objects. */
const recorded: Recorded = JSON.parse(
  readFileSync(new URL("./fixtures/custom-resources.json", import.meta.url), "utf8"),
);

const causesOf = (errors: readonly FieldError[]) =>
  sorted(errors.map(({ type, message, field }) => ({ reason: type, message, field })));
const sorted = (causes: readonly Cause[]) =>
  causes.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

function decode(object: JsonObject): JsonObject {
  const copy = cloneJson(object);
  prune(recorded.schema, copy);
  applyDefaults(recorded.schema, copy);
  return copy;
}

describe("validate reports", () => {
  for (const { name, object, causes } of recorded.invalid) {
    test(name, () => expect(causesOf(validate(recorded.schema, decode(object)))).toEqual(sorted(causes)));
  }
});

describe("a custom resource", () => {
  for (const { name, object, want, warnings } of recorded.valid) {
    test(name, () => {
      expect(unknownFieldTexts(unknownFields(recorded.schema, object))).toEqual(warnings);
      const decoded = decode(object);
      expect(decoded).toEqual(want);
      expect(validate(recorded.schema, decoded)).toEqual([]);
    });
  }
});

describe("compileSchema refuses what the server refuses:", () => {
  for (const { name, schema, causes } of recorded.definitions) {
    test(name, () => expect(causesOf(compileSchema(schema).problems)).toEqual(sorted(causes)));
  }
});

test("validate reports nothing for what an update leaves as it was", () => {
  const schema: StructuralSchema = {
    type: "object",
    properties: {
      a: { type: "integer", maximum: 1 },
      b: { type: "integer", maximum: 1 },
      l: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        items: { type: "object", properties: { k: { type: "string" }, n: { type: "integer", maximum: 1 } } },
      },
    },
  };
  const old = { a: 5, b: 1, l: [{ k: "x", n: 9 }] };
  expect(
    validate(
      schema,
      {
        a: 5,
        b: 1,
        l: [
          { k: "new", n: 1 },
          { k: "x", n: 9 },
        ],
      },
      old,
    ),
  ).toEqual([]);
  expect(validate(schema, { a: 5, b: 7, l: [] }, old).map(({ field }) => field)).toEqual(["b"]);
});

test("compileSchema tells which CEL rules are not enforced", () => {
  const schema = {
    type: "object",
    properties: { spec: { type: "object", "x-kubernetes-validations": [{ rule: "true" }] } },
  };
  expect(compileSchema(schema).unenforcedRules).toEqual([
    "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule",
  ]);
});

test("prune treats inherited names as unknown", () => {
  const object = JSON.parse('{"spec":{"constructor":1,"__proto__":{"a":1}}}');
  const schema: StructuralSchema = { type: "object", properties: { spec: { type: "object", properties: {} } } };
  expect(prune(schema, object)).toEqual(["spec.__proto__", "spec.constructor"]);
  expect(JSON.stringify(object)).toBe('{"spec":{}}');
});
