import { jsonEquals } from "@jibe/base";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compareFields } from "./compare-fields.ts";
import { mergeFields } from "./merge-fields.ts";
import { typedSchemaForCustom } from "./typed-schema-sources.ts";

const schema = typedSchemaForCustom({
  type: "object",
  properties: {
    set: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    list: { type: "array", items: { type: "string" } },
    map: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: { type: "object", properties: { k: { type: "string" }, v: { type: "integer" } } },
    },
  },
});

const orders: Record<string, { live: string[]; applied: string[]; want: string[] }> = {
  "keeps live elements in their place": { live: ["a", "b", "c"], applied: ["b"], want: ["a", "b", "c"] },
  "appends new elements": { live: ["a", "b"], applied: ["z"], want: ["a", "b", "z"] },
  "follows the applied order": { live: ["a", "b", "c"], applied: ["c", "a"], want: ["b", "c", "a"] },
  "puts new elements before the shared one they precede": {
    live: ["a", "b"],
    applied: ["n", "b"],
    want: ["a", "n", "b"],
  },
};

for (const [name, { live, applied, want }] of Object.entries(orders)) {
  test(`mergeFields ${name}`, () => {
    expect(mergeFields(schema, { set: live }, { set: applied })).toEqual({ set: want });
  });
}

test("mergeFields replaces atomic lists and merges elements by key", () => {
  const live = { list: ["a"], map: [{ k: "x", v: 1 }, { k: "y" }] };
  const applied = { list: ["b"], map: [{ k: "x", v: 2 }] };
  expect(mergeFields(schema, live, applied)).toEqual({ list: ["b"], map: [{ k: "x", v: 2 }, { k: "y" }] });
});

const letters = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e", "f"));
const object = fc.record({
  set: letters,
  list: letters,
  map: letters.map((keys) => keys.map((k, v) => ({ k, v }))),
});

test("mergeFields contains all that was applied, and applying again changes nothing", () => {
  fc.assert(
    fc.property(object, object, (live, applied) => {
      const once = mergeFields(schema, live, applied);
      const { modified, removed } = compareFields(schema, applied, once);
      const isKept = [...modified.paths(), ...removed.paths()].length === 0;
      return isKept && jsonEquals(mergeFields(schema, once, applied), once);
    }),
  );
});
