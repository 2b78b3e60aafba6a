import { expect, test } from "vitest";
import { compileJsonPath } from "./json-path.ts";

const object = {
  spec: { "a.b/c": 1, list: [{ n: 1 }, { n: 2 }], deep: { x: "y" } },
  status: {
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Other", status: "False" },
    ],
  },
};

const cases: Record<string, unknown[]> = {
  ".spec.deep.x": ["y"],
  "$.spec.deep.x": ["y"],
  ".spec['a.b/c']": [1],
  '.spec["a.b/c"]': [1],
  ".spec.a\\.b/c": [1],
  ".spec.list[0].n": [1],
  ".spec.list[-1].n": [2],
  ".spec.list[*].n": [1, 2],
  '.status.conditions[?(@.type=="Ready")].status': ["True"],
  ".status.conditions[?(@.type=='Other')].status": ["False"],
  '.status.conditions[?(@.type == "None")].status': [],
  ".spec.list[?(@.n>1)].n": [2],
  ".missing.x": [],
  ".constructor": [],
};

for (const [path, want] of Object.entries(cases)) {
  test(`compileJsonPath finds ${path}`, () => expect(compileJsonPath(path)?.(object)).toEqual(want));
}

test("compileJsonPath refuses what it does not know", () => {
  expect(compileJsonPath(".a[")).toBeUndefined();
  expect(compileJsonPath(".a[?(")).toBeUndefined();
});
