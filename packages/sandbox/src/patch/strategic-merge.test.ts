import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { OpenApiComponents } from "../schema/open-api.ts";
import { mergeSchemaFor } from "./merge-schema.ts";
import { PatchError } from "./patch-error.ts";
import { applyStrategicMerge } from "./strategic-merge.ts";

interface Recorded {
  readonly objects: Record<string, { readonly apiVersion: string; readonly kind: string }>;
  readonly cases: readonly {
    readonly name: string;
    readonly object: string;
    readonly patch: unknown;
    readonly want?: unknown;
    readonly error?: { readonly code: number; readonly message: string };
  }[];
}

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
const components: OpenApiComponents = read("../schema/fixtures/components.json");
/** What Kubernetes 1.36 answered to the same patches, without the fields that it defaults. */
const { objects, cases }: Recorded = read("./fixtures/strategic-merge.json");

const codes: Record<string, number> = { BadRequest: 400, Unprocessable: 422, Internal: 500 };

function schemaOf({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  return mergeSchemaFor(components, { group, version, kind });
}

for (const { name, object, patch, want, error } of cases) {
  test(`applyStrategicMerge ${name}`, () => {
    const target = objects[object];
    if (target === undefined) throw new Error(`no object ${object}`);
    const apply = () => applyStrategicMerge(target, patch, schemaOf(target));
    if (error === undefined) return expect(withoutEmpty(apply())).toEqual(withoutEmpty(want));
    const failure = errorOf(apply);
    expect({ code: codes[failure.kind], message: failure.message }).toEqual(error);
  });
}

function errorOf(run: () => unknown): PatchError {
  try {
    run();
  } catch (error) {
    if (error instanceof PatchError) return error;
    throw error;
  }
  throw new Error("no error was thrown");
}

// A typed object is written without its empty members; the merge itself keeps them.
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [key, withoutEmpty(member)]);
  return Object.fromEntries(members.filter(([, member]) => JSON.stringify(member) !== "{}"));
}

test("applyStrategicMerge refuses kinds without a schema", () => {
  expect(() => applyStrategicMerge({}, {}, undefined)).toThrow("strategic merge patch format is not supported");
});

test("applyStrategicMerge sets __proto__ as a plain member", () => {
  const schema = mergeSchemaFor(components, { group: "", version: "v1", kind: "ConfigMap" });
  const merged = applyStrategicMerge({ data: {} }, JSON.parse('{"data":{"__proto__":"x"}}'), schema);
  expect(JSON.stringify(merged)).toBe('{"data":{"__proto__":"x"}}');
});
