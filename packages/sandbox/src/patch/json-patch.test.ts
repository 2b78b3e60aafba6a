import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parseJson } from "@jibe/base";
import { describe, expect, test } from "vitest";
import { applyJsonPatch } from "./json-patch.ts";
import { unknownOperationFields } from "./json-patch-operations.ts";
import { PatchError } from "./patch-error.ts";

interface SuiteCase {
  readonly comment?: string;
  readonly doc: unknown;
  readonly patch: unknown;
  readonly expected?: unknown;
  readonly error?: string;
  readonly disabled?: boolean;
}

const require = createRequire(import.meta.url);
const suite = ["tests.json", "spec_tests.json"].flatMap((file): SuiteCase[] =>
  JSON.parse(readFileSync(require.resolve(`json-patch-test-suite/${file}`), "utf8")),
);

// Where the API server departs from the RFC, and so do we.
const departures = new Set([
  "Out of bounds (lower)",
  "replacing the root of the document is possible with add",
  "missing 'value' parameter to add",
  "missing 'value' parameter to replace",
  "missing 'value' parameter to test",
]);

describe("the public JSON patch suite", () => {
  for (const [index, { comment, doc, patch, expected, error, disabled }] of suite.entries()) {
    if (disabled || !isContainer(doc) || departures.has(comment ?? error ?? "")) continue;
    test(`${index} ${comment ?? error ?? JSON.stringify(patch)}`, () => {
      if (error !== undefined) expect(() => applyJsonPatch(doc, patch)).toThrow(PatchError);
      else if (expected !== undefined) expect(applyJsonPatch(doc, patch)).toEqual(expected);
      else applyJsonPatch(doc, patch);
    });
  }
});

const isContainer = (value: unknown) => typeof value === "object" && value !== null;

const accepted: Record<string, { doc: unknown; patch: unknown; want: unknown }> = {
  "takes a missing source of a copy as null": {
    doc: { a: {} },
    patch: [{ op: "copy", from: "/a/x", path: "/a/y" }],
    want: { a: { y: null } },
  },
  "adds a member when it replaces a missing one": {
    doc: { a: {} },
    patch: [{ op: "replace", path: "/a/x", value: 1 }],
    want: { a: { x: 1 } },
  },
  "counts negative indices from the end": {
    doc: { f: ["c", "d"] },
    patch: [
      { op: "remove", path: "/f/-1" },
      { op: "add", path: "/f/-1", value: "z" },
      { op: "add", path: "/f/-2", value: "y" },
    ],
    want: { f: ["c", "y", "z"] },
  },
  "adds null when the value is missing": { doc: {}, patch: [{ op: "add", path: "/a" }], want: { a: null } },
  "finds a missing member equal to no value": { doc: {}, patch: [{ op: "test", path: "/a" }], want: {} },
  "ignores what stands before the first slash": {
    doc: { a: 1 },
    patch: [{ op: "add", path: "x/b", value: 2 }],
    want: { a: 1, b: 2 },
  },
  "leaves the document alone when the patch is null": { doc: { a: 1 }, patch: null, want: { a: 1 } },
};

for (const [name, { doc, patch, want }] of Object.entries(accepted)) {
  test(`applyJsonPatch ${name}`, () => expect(applyJsonPatch(doc, patch)).toEqual(want));
}

const refused: Record<string, { patch: unknown; kind: string; message: string }> = {
  "a body that is no list": {
    patch: { op: "add" },
    kind: "BadRequest",
    message: "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
  },
  "an operation that is no object": {
    patch: [1],
    kind: "BadRequest",
    message: "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp",
  },
  "an operation whose op is a number": {
    patch: [{ op: 1 }],
    kind: "BadRequest",
    message: "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
  },
  "the removal of a missing member": {
    patch: [{ op: "remove", path: "/a/zz" }],
    kind: "Unprocessable",
    message: "error in remove for path: '/a/zz': Unable to remove nonexistent key: zz: missing value",
  },
  "a path through a missing parent": {
    patch: [{ op: "add", path: "/x/y", value: 1 }],
    kind: "Unprocessable",
    message: 'add operation does not apply: doc is missing path: "/x/y": missing value',
  },
  "an addition to the whole document": {
    patch: [{ op: "add", path: "", value: {} }],
    kind: "Unprocessable",
    message: 'add operation does not apply: doc is missing path: "": missing value',
  },
  "an unknown operation": { patch: [{ op: "foo" }], kind: "Unprocessable", message: "Unexpected kind: foo" },
  "an index beyond the end": {
    patch: [{ op: "add", path: "/l/9", value: 1 }],
    kind: "Unprocessable",
    message: "error in add for path: '/l/9': Unable to access invalid index: 9: invalid index referenced",
  },
  "a failed test": {
    patch: [{ op: "test", path: "/l", value: [1, 3] }],
    kind: "Unprocessable",
    message: "testing value /l failed: test failed",
  },
  "too many operations": {
    patch: Array(10_001).fill({ op: "test", path: "/a", value: {} }),
    kind: "TooLarge",
    message: "The allowed maximum operations in a JSON patch is 10000, got 10001",
  },
};

for (const [name, { patch, kind, message }] of Object.entries(refused)) {
  test(`applyJsonPatch refuses ${name}`, () => {
    expect(() => applyJsonPatch({ a: {}, l: [1, 2] }, patch)).toThrow(expect.objectContaining({ kind, message }));
  });
}

test("applyJsonPatch keeps the document it was given", () => {
  const doc = { a: { b: 1 } };
  applyJsonPatch(doc, [{ op: "remove", path: "/a/b" }]);
  expect(doc).toEqual({ a: { b: 1 } });
});

test("applyJsonPatch sets __proto__ as a plain member", () => {
  const doc = applyJsonPatch({}, parseJson('[{"op":"add","path":"/__proto__","value":{"polluted":true}}]'));
  expect(JSON.stringify(doc)).toBe('{"__proto__":{"polluted":true}}');
  expect(Object.getPrototypeOf(doc)).toBe(Object.prototype);
});

test("applyJsonPatch compares and moves numbers beyond 2^53 by their text", () => {
  const doc = parseJson('{"a":12345678901234567890}');
  const patch = parseJson(
    '[{"op":"test","path":"/a","value":12345678901234567890},{"op":"move","from":"/a","path":"/b"}]',
  );
  expect(JSON.stringify(applyJsonPatch(doc, patch))).toBe('{"b":12345678901234567890}');
});

test("unknownOperationFields names members that no operation has", () => {
  expect(unknownOperationFields([{ op: "add", path: "/a", bogus: 1 }])).toEqual([
    'json patch unknown field "[0].bogus"',
  ]);
});
