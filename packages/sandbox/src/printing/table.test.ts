import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../schema/json-object.ts";
import { tableFor } from "./table.ts";

interface Recorded {
  readonly group: string;
  readonly plural: string;
  readonly objects: readonly JsonObject[];
  readonly columns: readonly { readonly name: string }[];
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly conditions?: readonly JsonObject[] }[];
}

/** Lists that Kubernetes 1.36 gave, plain and as tables. */
const recorded: readonly Recorded[] = JSON.parse(
  readFileSync(new URL("./fixtures/tables.json", import.meta.url), "utf8"),
);
// Ages depend on the moment; human-duration.test.ts has them.
const moving = new Set(["Age", "Last Seen", "First Seen"]);
const now = new Date("2026-11-15T22:00:00Z");

describe("tableFor prints as the API server does:", () => {
  for (const { group, plural, objects, columns, rows } of recorded) {
    test(plural, () => {
      const table = tableFor({ group, plural }, objects, { now, includeObject: "None", metadata: {} });
      expect(table.columnDefinitions.map(({ description: _, ...rest }) => rest)).toEqual(columns);
      const still = (cells: readonly unknown[]) => cells.filter((_, index) => !moving.has(columns[index]?.name ?? ""));
      expect(table.rows.map((row) => still(row.cells))).toEqual(rows.map((row) => still(row.cells)));
      const conditions = (list: readonly { readonly conditions?: unknown }[]) => list.map((row) => row.conditions);
      expect(conditions(table.rows)).toEqual(conditions(rows));
    });
  }
});

const thing = {
  metadata: { name: "a", creationTimestamp: "2026-11-15T21:59:00Z" },
  spec: { n: 2.5, on: true, l: ["x", { y: 1 }] },
};

const columns: Record<string, { type: string; jsonPath: string; want: unknown }> = {
  "a text": { type: "string", jsonPath: ".metadata.name", want: "a" },
  "a number as text": { type: "string", jsonPath: ".spec.n", want: "2.5" },
  "an integer cut from a fraction": { type: "integer", jsonPath: ".spec.n", want: 2 },
  "a number": { type: "number", jsonPath: ".spec.n", want: 2.5 },
  "a flag": { type: "boolean", jsonPath: ".spec.on", want: true },
  "a text where a flag is wanted": { type: "boolean", jsonPath: ".metadata.name", want: null },
  "an element": { type: "string", jsonPath: ".spec.l[0]", want: "x" },
  "an object as JSON": { type: "string", jsonPath: ".spec.l[1]", want: '{"y":1}' },
  "an age": { type: "date", jsonPath: ".metadata.creationTimestamp", want: "60s" },
  "a date that is none": { type: "date", jsonPath: ".metadata.name", want: "<invalid>" },
  "a missing value": { type: "string", jsonPath: ".status.x", want: null },
};

for (const [name, { want, ...column }] of Object.entries(columns)) {
  test(`tableFor prints ${name} of a custom resource`, () => {
    const custom = { printerColumns: [{ name: "C", ...column }] };
    const { rows } = tableFor({ group: "t.io", plural: "things", custom }, [thing], {
      now,
      includeObject: "None",
      metadata: {},
    });
    expect(rows).toEqual([{ cells: ["a", want], object: null }]);
  });
}

test("tableFor shows the age of custom resources without printer columns", () => {
  const table = tableFor({ group: "t.io", plural: "things", custom: { printerColumns: [] } }, [thing], {
    now,
    includeObject: "Metadata",
    metadata: { resourceVersion: "7" },
  });
  expect(table.columnDefinitions.map(({ name, type }) => [name, type])).toEqual([
    ["Name", "string"],
    ["Age", "date"],
  ]);
  expect(table.metadata).toEqual({ resourceVersion: "7" });
  expect(table.rows[0]?.object).toEqual({
    kind: "PartialObjectMetadata",
    apiVersion: "meta.k8s.io/v1",
    metadata: thing.metadata,
  });
});
