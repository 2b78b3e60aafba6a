import { expect, test } from "vitest";
import { cloneJson, isRawNumber, jsonEquals, parseJson } from "./json.ts";

const texts: Record<string, string> = {
  "an integer beyond 2^53": '{"a":9007199254740993}',
  "a fraction with a trailing zero": '{"a":1.50}',
  "an exponent": '{"a":[1e3,1E-2]}',
  "a negative zero": '{"a":-0}',
  "plain numbers": '{"a":[0,1,-7,2147483648],"b":"9007199254740993"}',
};
for (const [name, text] of Object.entries(texts)) {
  test(`parseJson keeps ${name}`, () => expect(JSON.stringify(parseJson(text))).toBe(text));
  test(`cloneJson keeps ${name}`, () => expect(JSON.stringify(cloneJson(parseJson(text)))).toBe(text));
}

test("only numbers that would change are kept by their text", () => {
  const { a, b } = parseJson('{"a":12,"b":12345678901234567890}') as { a: unknown; b: unknown };
  expect(isRawNumber(a)).toBe(false);
  expect(isRawNumber(b)).toBe(true);
});

test("jsonEquals compares numbers by text and keys in any order", () => {
  expect(jsonEquals(parseJson('{"a":1,"b":9007199254740993}'), parseJson('{"b":9007199254740993,"a":1}'))).toBe(true);
  expect(jsonEquals(parseJson("9007199254740993"), parseJson("9007199254740992"))).toBe(false);
  expect(jsonEquals([1, 2], [2, 1])).toBe(false);
  expect(jsonEquals({}, [])).toBe(false);
  expect(jsonEquals({ a: undefined }, {})).toBe(false);
});

test("a key named __proto__ is data", () => {
  const value = JSON.parse('{"__proto__":{"polluted":true}}');
  const copy = cloneJson(value);
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":true}}');
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
