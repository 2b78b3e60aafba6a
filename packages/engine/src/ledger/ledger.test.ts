import { gunzipSync } from "node:zlib";
import { testScope } from "@jibe/testkit";
import { expect, test } from "vitest";
import { memoryScratch } from "../../test/memory-scratch.ts";
import { createLedger } from "./ledger.ts";
import { mergeResults } from "./run-results.ts";

test("counts, results and file come from the same calls", async () => {
  using scope = testScope();
  const scratch = memoryScratch();
  {
    await using ledger = await createLedger({ scratch }, scope);
    ledger.item({ resource: "pods", namespace: "shop", name: "web", outcome: "stored" });
    ledger.item({ resource: "pods", namespace: "shop", name: "db", outcome: "failed", step: "action", cause: "boom" });
    ledger.warning({ message: "odd" });
    ledger.error({ namespace: "", message: "bad" });
    ledger.error({ namespace: "shop", message: "worse" });
    expect([ledger.warnings, ledger.errors]).toEqual([1, 2]);
    expect(ledger.results()).toEqual({
      errors: { cluster: ["bad"], namespaces: { shop: ["worse"] } },
      warnings: { velero: ["odd"] },
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await ledger.finish()).stream(scope)) chunks.push(chunk);
    const lines = gunzipSync(Buffer.concat(chunks)).toString().trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { resource: "pods", namespace: "shop", name: "web", outcome: "stored" },
      { resource: "pods", namespace: "shop", name: "db", outcome: "failed", step: "action", cause: "boom" },
      { level: "warning", message: "odd" },
      { level: "error", namespace: "", message: "bad" },
      { level: "error", namespace: "shop", message: "worse" },
    ]);
  }
  expect(scratch.open.size).toBe(0);
});

const logLines = {
  "with all parts in its namespace": [
    { resource: "pods", name: "web-0", namespace: "shop", error: new Error("boom") },
    { namespaces: { shop: [" resource: /pods name: /web-0 message: /Error backing up item error: /boom"] } },
  ],
  "of a cluster-scoped item": [
    { namespace: "", name: "pv-1" },
    { cluster: [" name: /pv-1 message: /Error backing up item"] },
  ],
  "without namespace as the run's own": [{}, { velero: [" message: /Error backing up item"] }],
} as const;
for (const [name, [fields, errors]] of Object.entries(logLines)) {
  test(`a log line ${name} becomes a result`, async () => {
    using scope = testScope();
    await using ledger = await createLedger({ scratch: memoryScratch() }, scope);
    ledger.countLogLine({ level: "error", message: "Error backing up item", fields });
    ledger.countLogLine({ level: "info", message: "no finding", fields });
    expect(ledger.results()).toEqual({ errors, warnings: {} });
  });
}

test("results are merged list by list", () => {
  const first = { errors: { velero: ["a"] }, warnings: { namespaces: { b: ["1"] } } };
  const second = { errors: { velero: ["b"], cluster: ["c"] }, warnings: { namespaces: { a: ["0"], b: ["2"] } } };
  expect(mergeResults(first, second)).toEqual({
    errors: { velero: ["a", "b"], cluster: ["c"] },
    warnings: { namespaces: { a: ["0"], b: ["1", "2"] } },
  });
});
