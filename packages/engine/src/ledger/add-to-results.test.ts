import { gunzipSync, gzipSync } from "node:zlib";
import { AppError } from "@jibe/base";
import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { memoryStore } from "../../test/memory-store.ts";
import { addToResults } from "./add-to-results.ts";
import type { RunResults } from "./run-results.ts";

const key = "results.gz";
const found = (message: string): RunResults => ({ errors: { namespaces: { shop: [message] } }, warnings: {} });
const note = "The results of the run itself are lost; only its log has them (errors: 3, warnings: 1).";

function storeWith(content: Uint8Array | undefined, fault?: () => void) {
  const store = memoryStore(fault ? { fault } : {});
  if (content) store.objects.set(key, content);
  return { store, read: () => JSON.parse(gunzipSync(store.objects.get(key) ?? new Uint8Array()).toString()) };
}

test("what is there already, from a step that was done before, counts once", async () => {
  using scope = testScope();
  const { store, read } = storeWith(gzipSync(JSON.stringify(found("a"))));
  const status = { errors: 1 };
  expect(await addToResults(found("a"), { store, key, status }, scope)).toEqual({ errors: 1, warnings: 0 });
  expect(await addToResults(found("b"), { store, key, status }, scope)).toEqual({ errors: 2, warnings: 0 });
  expect(read().errors).toEqual({ namespaces: { shop: ["a", "b"] } });
});

for (const [what, content] of [
  ["never came to be", undefined],
  ["is broken", Buffer.from("rubbish")],
] as const) {
  test(`a file that ${what} says what it lacks, and the counts go on from the status`, async () => {
    using scope = testScope();
    const { store, read } = storeWith(content);
    let status = { errors: 3, warnings: 1 };
    for (const message of ["a", "b"]) status = await addToResults(found(message), { store, key, status }, scope);
    expect(status).toEqual({ errors: 5, warnings: 1 });
    expect(read().errors).toEqual({ velero: [note], namespaces: { shop: ["a", "b"] } });
  });
}

test("a run that had nothing to tell needs no file", async () => {
  using scope = testScope();
  const { store } = storeWith(undefined);
  const none = { errors: {}, warnings: {} };
  expect(await addToResults(none, { store, key, status: {} }, scope)).toEqual({ errors: 0, warnings: 0 });
  expect(store.history).toEqual([]);
});

test("a store that is away for now does not cost the file", async () => {
  using scope = testScope();
  const away = () => {
    throw new AppError("Unavailable", "the store is away");
  };
  const { store } = storeWith(gzipSync("{}"), away);
  await expect(addToResults(found("a"), { store, key, status: {} }, scope)).rejects.toThrow("the store is away");
});
