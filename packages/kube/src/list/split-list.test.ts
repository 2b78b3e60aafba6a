import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { splitList } from "./split-list.ts";

const pod = { apiVersion: "v1", kind: "Pod" };
const split = (text: string) => splitList(Buffer.from(text), pod);
const only = (text: string) => {
  const [item, ...more] = split(text).items;
  if (!item || more.length > 0) throw new Error("one item was expected");
  return item;
};
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8");

describe("splitList", () => {
  test("reads what filters need", () => {
    const item = only(
      '{"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"web","namespace":"shop","uid":"u-1",' +
        '"resourceVersion":"5","deletionTimestamp":"2026-01-01T00:00:00Z","labels":{"app":"web"},' +
        '"annotations":{"note":"a\\"b"}},"spec":{"metadata":{"name":"inner"}}}]}',
    );
    expect(item).toMatchObject({
      name: "web",
      namespace: "shop",
      uid: "u-1",
      resourceVersion: "5",
      deletionTimestamp: "2026-01-01T00:00:00Z",
      labels: { app: "web" },
      annotations: { note: 'a"b' },
      kind: "Pod",
      apiVersion: "v1",
    });
  });

  test("reads the list's own metadata, wherever it stands", () => {
    const list = '{"items":[],"metadata":{"resourceVersion":"9","continue":"abc","remainingItemCount":12}}';
    expect(split(list)).toEqual({ items: [], resourceVersion: "9", continueToken: "abc", remaining: 12 });
  });

  const cases: Record<string, { item: string; want: string }> = {
    "supplies kind and apiVersion where they are missing": {
      item: '{"metadata":{"name":"a"}}',
      want: '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}',
    },
    "leaves an object alone that says what it is": {
      item: '{"apiVersion":"x/v1","kind":"X","metadata":{"name":"a"}}',
      want: '{"apiVersion":"x/v1","kind":"X","metadata":{"name":"a"}}',
    },
    "supplies only what is missing": {
      item: '{"kind":"X","metadata":{"name":"a"}}',
      want: '{"apiVersion":"v1","kind":"X","metadata":{"name":"a"}}',
    },
    "copes with an empty object": { item: "{ }", want: '{"apiVersion":"v1","kind":"Pod" }' },
    "keeps numbers, escapes and white space as they came": {
      item: '{"metadata": {"name":"a"},\n "n":12345678901234567890,"f":1.50,"s":"\\u00e9\\\\\\" ]}"}',
      want: '{"apiVersion":"v1","kind":"Pod","metadata": {"name":"a"},\n "n":12345678901234567890,"f":1.50,"s":"\\u00e9\\\\\\" ]}"}',
    },
  };
  for (const [name, { item, want }] of Object.entries(cases)) {
    test(name, () => expect(textOf(only(`{"items":[${item}]}`).bytes)).toBe(want));
  }

  test("keeps integers that JavaScript cannot hold when an item is parsed and written", () => {
    const item = only('{"items":[{"metadata":{"name":"a"},"n":9007199254740993}]}');
    expect(JSON.stringify(item.parse())).toContain('"n":9007199254740993');
  });

  test("treats null like nothing", () => {
    expect(split('{"metadata":null,"items":null}').items).toEqual([]);
    expect(only('{"items":[{"metadata":{"name":"a","labels":null}}]}').labels).toEqual({});
  });

  test("steps over long strings with quotes and backslashes", () => {
    const data = `${"x".repeat(100)}"${"\\".repeat(7)}"${"y".repeat(100)}\\`;
    const list = JSON.stringify({ items: [{ metadata: { name: "a" }, data }, { metadata: { name: "b" } }] });
    expect(split(list).items.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  const broken = ["", "[]", "null", '{"items":[{"metadata":{"name":"a"', '{"items":[{"a" 1}]}', '{"items":["abc'];
  for (const text of broken) {
    test(`refuses ${JSON.stringify(text)}`, () =>
      expect(() => split(text)).toThrow(expect.objectContaining({ code: "DataLoss" })));
  }

  test("gives back any objects, however they are written", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    const property = fc.property(fc.array(object), fc.constantFrom(0, 1), (objects, indent) => {
      const items = objects.map((each, index) => ({ ...each, metadata: { name: `n${index}`, ...each } }));
      const found = split(JSON.stringify({ kind: "PodList", items, metadata: {} }, null, indent)).items;
      expect(found.map((item) => JSON.parse(textOf(item.bytes)))).toEqual(
        JSON.parse(JSON.stringify(items.map((each) => ({ ...pod, ...each })))),
      );
    });
    fc.assert(property, { numRuns: 100 });
  });
});
