import { readFileSync } from "node:fs";
import { cloneJson } from "@jibe/base";
import { expect, test } from "vitest";
import type { OpenApiComponents } from "./open-api.ts";
import { pruneBuiltIn, strictDecodingText, unknownBuiltInFields, unknownFieldTexts } from "./unknown-fields.ts";

const components: OpenApiComponents = JSON.parse(
  readFileSync(new URL("./fixtures/components.json", import.meta.url), "utf8"),
);
const gvk = { group: "apps", version: "v1", kind: "Deployment" };

const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d", labels: { any: "1" }, bogus: 1 },
  spec: {
    replicas: 1,
    selector: { matchLabels: { a: "1" } },
    template: { spec: { containers: [{ name: "c", foo: 1, env: [{ name: "E", bar: 2 }] }] } },
  },
  extra: {},
};

const unknown = [
  "metadata.bogus",
  "spec.template.spec.containers[0].foo",
  "spec.template.spec.containers[0].env[0].bar",
  "extra",
];

test("unknownBuiltInFields names fields that the kind does not have, in document order", () => {
  expect(unknownBuiltInFields(components, gvk, deployment)).toEqual(unknown);
});

test("pruneBuiltIn drops them and nothing else", () => {
  const object = cloneJson(deployment);
  expect(pruneBuiltIn(components, gvk, object)).toEqual(unknown);
  expect(unknownBuiltInFields(components, gvk, object)).toEqual([]);
  expect(object.metadata.labels).toEqual({ any: "1" });
});

test("strictDecodingText is the text that refuses a request", () => {
  expect(strictDecodingText(unknownFieldTexts(["spec.x", "spec.y"]))).toBe(
    'strict decoding error: unknown field "spec.x", unknown field "spec.y"',
  );
});
