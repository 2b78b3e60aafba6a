import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { memoryStore } from "../../test/memory-store.ts";
import { compareBytes, goJson, gzippedJson, kubernetesTime, readGzippedJson, sortedByKey } from "./go-json.ts";

test("HTML characters and line separators are escaped as Go does", () => {
  expect(goJson({ text: "<a> & \u2028\u2029" })).toBe('{"text":"\\u003ca\\u003e \\u0026 \\u2028\\u2029"}');
});

test("map keys are sorted by bytes, astral characters after the rest of the plane", () => {
  expect(Object.keys(sortedByKey({ b: 1, ｚ: 1, "😀": 1, a: 1 }))).toEqual(["a", "b", "ｚ", "😀"]);
  expect(compareBytes("a", "a")).toBe(0);
});

test("times have whole seconds", () => {
  expect(kubernetesTime(new Date("2026-01-02T03:04:05.678Z"))).toBe("2026-01-02T03:04:05Z");
});

test("a side file is read back; none is undefined; a damaged one is data loss", async () => {
  using scope = testScope();
  const store = memoryStore();
  const bytes = await gzippedJson([{ n: 1 }]);
  await store.put(
    "good",
    async function* () {
      yield bytes;
    },
    scope,
  );
  await store.put(
    "bad",
    async function* () {
      yield bytes.subarray(0, 10);
    },
    scope,
  );
  expect(await readGzippedJson(store, "good", scope)).toEqual([{ n: 1 }]);
  expect(await readGzippedJson(store, "none", scope)).toBeUndefined();
  await expect(readGzippedJson(store, "bad", scope)).rejects.toMatchObject({ code: "DataLoss" });
});
