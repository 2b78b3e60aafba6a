import fc from "fast-check";
import { expect, test } from "vitest";
import { FieldSet } from "./field-set.ts";
import { fieldElement, keyElement, parsePathElement, pathText, valueElement } from "./path-element.ts";

const element = fc.oneof(
  fc.string().map(fieldElement),
  fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer()), { minKeys: 1, maxKeys: 3 }).map(keyElement),
  fc.oneof(fc.string(), fc.integer(), fc.boolean()).map(valueElement),
  fc.nat().map((index) => `i:${index}`),
);
const set = fc
  .array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 12 })
  .map((paths) => FieldSet.of(...paths));

test("a field set survives its wire form", () => {
  fc.assert(
    fc.property(
      set,
      (fields) => FieldSet.fromFieldsV1(JSON.parse(JSON.stringify(fields.toFieldsV1())))?.equals(fields) === true,
    ),
  );
});

test("union, intersection and difference agree with each other", () => {
  fc.assert(
    fc.property(set, set, (a, b) => {
      const shared = a.intersection(b);
      return a.difference(b).union(shared).equals(a) && a.union(b).difference(b).equals(a.difference(b));
    }),
  );
});

test("toFieldsV1 marks a parent that is owned itself with a dot", () => {
  const fields = FieldSet.of(["f:data"], ["f:data", "f:x"], ["f:spec", 'k:{"name":"a"}', "f:image"]);
  expect(fields.toFieldsV1()).toEqual({
    "f:data": { ".": {}, "f:x": {} },
    "f:spec": { 'k:{"name":"a"}': { "f:image": {} } },
  });
});

test("fromFieldsV1 refuses what is no path element", () => {
  for (const fields of [{ "x:a": {} }, { "k:[]": {} }, { "v:{": {} }, { "f:a": 1 }, [], null]) {
    expect(FieldSet.fromFieldsV1(fields)).toBeUndefined();
  }
});

test("withoutSubtrees drops all below a path, difference only the path", () => {
  const fields = FieldSet.of(["f:status"], ["f:status", "f:phase"], ["f:spec"]);
  const status = FieldSet.of(["f:status"]);
  expect([...fields.withoutSubtrees(status).paths()]).toEqual([["f:spec"]]);
  expect([...fields.difference(status).paths()]).toEqual([["f:spec"], ["f:status", "f:phase"]]);
});

test("pathText shows paths as the API server does", () => {
  const path = ["f:spec", 'k:{"port":80,"protocol":"TCP"}', 'v:"x"', "i:3", "f:a"];
  expect(pathText(path)).toBe('.spec[port=80,protocol="TCP"][="x"][3].a');
});

test("parsePathElement sorts the keys of an element", () => {
  expect(parsePathElement('k:{"protocol":"TCP","port":80}')).toBe('k:{"port":80,"protocol":"TCP"}');
});
