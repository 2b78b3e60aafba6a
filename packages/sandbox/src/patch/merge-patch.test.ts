import { cloneJson, jsonEquals } from "@jibe/base";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyMergePatch } from "./merge-patch.ts";

const cases: Record<string, { target: unknown; patch: unknown; want: unknown }> = {
  "replaces a scalar": { target: { a: "b" }, patch: { a: "c" }, want: { a: "c" } },
  "adds a member": { target: { a: "b" }, patch: { b: "c" }, want: { a: "b", b: "c" } },
  "removes what is null": { target: { a: "b", b: 1 }, patch: { a: null }, want: { b: 1 } },
  "replaces a list as a whole": { target: { a: ["b"] }, patch: { a: ["c", "d"] }, want: { a: ["c", "d"] } },
  "merges nested objects": {
    target: { a: { b: "c", d: "e" } },
    patch: { a: { b: null, f: 1 } },
    want: { a: { d: "e", f: 1 } },
  },
  "drops nulls of an added object": {
    target: {},
    patch: { a: { b: { c: null, d: 1 } } },
    want: { a: { b: { d: 1 } } },
  },
  "drops null members inside an added list": {
    target: {},
    patch: { a: [{ b: null, c: 1 }, null] },
    want: { a: [{ c: 1 }, null] },
  },
  "keeps null members of a list that replaces an object": {
    target: { a: { x: 1 } },
    patch: { a: [{ b: null }] },
    want: { a: [{ b: null }] },
  },
  "replaces a scalar by an object": { target: { a: 1 }, patch: { a: { b: null, c: 2 } }, want: { a: { c: 2 } } },
  "takes inherited names as data": {
    target: {},
    patch: { constructor: { a: 1 }, toString: null },
    want: { constructor: { a: 1 } },
  },
};

for (const [name, { target, patch, want }] of Object.entries(cases)) {
  test(`applyMergePatch ${name}`, () => expect(applyMergePatch(target, patch)).toEqual(want));
}

test("applyMergePatch refuses a patch that is no object", () => {
  const message = "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}";
  expect(() => applyMergePatch({}, [])).toThrow(expect.objectContaining({ kind: "BadRequest", message }));
  expect(() => applyMergePatch({}, null)).toThrow("Invalid JSON Patch");
});

// No lists: a list that takes the place of an object keeps nulls which the second patch would drop.
const object = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string(), tie("object")),
  object: fc.dictionary(fc.string({ maxLength: 2 }), tie("value"), { maxKeys: 4 }),
})).object;

test("applyMergePatch gives the same when applied twice and leaves its arguments alone", () => {
  fc.assert(
    fc.property(object, object, (doc, patch) => {
      const before = cloneJson([doc, patch]);
      const once = applyMergePatch(doc, patch);
      return jsonEquals(applyMergePatch(once, patch), once) && jsonEquals(before, [doc, patch]);
    }),
  );
});
