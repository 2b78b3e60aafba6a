import { createRequire } from "node:module";
import { parseJson } from "@jibe/base";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { describe, expect, test } from "vitest";
import { object, pod } from "../../test/builders.ts";
import { applyResourceModifiers, typedValue } from "./apply-modifiers.ts";
import { applyJsonPatch, type JsonPatchOperation } from "./json-patch.ts";
import { applyMergePatch, mergePatchBetween } from "./merge-patch.ts";
import { parseResourceModifiers } from "./parse-modifiers.ts";
import { applyStrategicMerge } from "./strategic-merge.ts";

interface SuiteCase {
  readonly comment?: string;
  readonly doc: unknown;
  readonly patch: JsonPatchOperation[];
  readonly expected?: unknown;
  readonly error?: string;
  readonly disabled?: boolean;
}
const load = createRequire(import.meta.url);
const suite: SuiteCase[] = ["tests.json", "spec_tests.json"].flatMap(
  (file) => load(`json-patch-test-suite/${file}`) as SuiteCase[],
);

// Rules are checked for what they lack when they are read; and negative indexes count from the end, as in Velero's library.
const beyondSuite =
  /missing '(path|value|from)' parameter|Unrecognized op|missing from|missing value|bar\/-1|Out of bounds \(lower\)/i;

describe("the public JSON patch suite", () => {
  const usable = suite.filter(
    ({ disabled, patch, error = "", comment = "" }) => !disabled && patch && !beyondSuite.test(`${error} ${comment}`),
  );
  for (const [index, { comment, doc, patch, expected, error }] of usable.entries()) {
    test(`${index} ${comment ?? JSON.stringify(patch).slice(0, 60)}`, () => {
      if (error !== undefined) expect(() => applyJsonPatch(doc, patch)).toThrow();
      else if (expected !== undefined) expect(applyJsonPatch(doc, patch)).toEqual(expected);
      else applyJsonPatch(doc, patch);
    });
  }
  test("covers most of it", () => expect(usable.length).toBeGreaterThan(80));
});

describe("merge patches", () => {
  test("null removes, objects merge, the rest replaces; the original stays", () => {
    const target = { a: { b: 1, c: 2 }, list: [1, 2], gone: true };
    expect(applyMergePatch(target, { a: { c: null, d: { e: null } }, list: [3], gone: null })).toEqual({
      a: { b: 1, d: {} },
      list: [3],
    });
    expect(target).toEqual({ a: { b: 1, c: 2 }, list: [1, 2], gone: true });
  });
  test("the patch between two objects turns one into the other, big numbers included", () => {
    const from = parseJson('{"n":9007199254740993,"same":{"x":[1]},"gone":1,"deep":{"a":1,"b":2}}') as Record<
      string,
      unknown
    >;
    const to = parseJson(
      '{"n":9007199254740995,"same":{"x":[1]},"deep":{"a":1,"b":3,"__proto__":{"x":1}},"new":null}',
    ) as Record<string, unknown>;
    expect(JSON.stringify(mergePatchBetween(from, to))).toBe(
      '{"gone":null,"n":9007199254740995,"deep":{"b":3,"__proto__":{"x":1}},"new":null}',
    );
    expect(mergePatchBetween(to, to)).toBeUndefined();
  });
});

describe("strategic merge", () => {
  const deployment = object("apps/v1", "Deployment", "shop/web", {
    metadata: { finalizers: ["a"] },
    spec: {
      template: {
        spec: {
          containers: [
            { name: "app", image: "app:1", env: [{ name: "A", value: "1" }], ports: [{ containerPort: 80 }] },
            { name: "side" },
          ],
          tolerations: [{ key: "x" }],
        },
      },
    },
  });
  const patched = (spec: object) =>
    (applyStrategicMerge(deployment, { spec: { template: { spec } } })["spec"] as { template: { spec: object } })
      .template.spec;
  test("lists merge by their key, or are replaced", () => {
    expect(
      patched({
        containers: [
          {
            name: "app",
            image: "app:2",
            env: [{ name: "B", value: "2" }],
            ports: [{ containerPort: 80, name: "http" }],
          },
        ],
        tolerations: [],
      }),
    ).toEqual({
      containers: [
        {
          name: "app",
          image: "app:2",
          env: [
            { name: "A", value: "1" },
            { name: "B", value: "2" },
          ],
          ports: [{ containerPort: 80, name: "http" }],
        },
        { name: "side" },
      ],
      tolerations: [],
    });
  });
  test("directives", () => {
    expect(patched({ containers: [{ name: "side", $patch: "delete" }] })).toMatchObject({
      containers: [{ name: "app" }],
    });
    expect(patched({ containers: [{ $patch: "replace" }, { name: "only" }] })).toMatchObject({
      containers: [{ name: "only" }],
    });
    expect(patched({ $retainKeys: ["containers"], containers: [] })).toEqual({ containers: expect.any(Array) });
    expect(patched({ "$setElementOrder/containers": [{ name: "side" }, { name: "app" }] })).toMatchObject({
      containers: [{ name: "side" }, { name: "app" }],
    });
    expect(
      applyStrategicMerge(deployment, { metadata: { finalizers: ["b"], "$deleteFromPrimitiveList/finalizers": ["a"] } })
        .metadata.finalizers,
    ).toEqual(["b"]);
  });
  test("service ports merge by port; types without merge keys are refused", () => {
    const service = object("v1", "Service", "shop/web", { spec: { ports: [{ port: 80 }, { port: 81 }] } });
    expect(applyStrategicMerge(service, { spec: { ports: [{ port: 81, name: "x" }] } })["spec"]).toEqual({
      ports: [{ port: 80 }, { port: 81, name: "x" }],
    });
    expect(() => applyStrategicMerge(object("example.io/v1", "Widget", "a/b"), {})).toThrow(/use mergePatches/);
    expect(() =>
      applyStrategicMerge(deployment, { spec: { template: { spec: { containers: [{ image: "x" }] } } } }),
    ).toThrow(/no name/);
  });
});

test("values of rules are typed by how they look", () => {
  expect(["", '"1"', "null", "True", "1", "-2.5", '{"a":1}', "[1]", "1Gi", "text", '"'].map(typedValue)).toEqual([
    "",
    "1",
    null,
    true,
    1,
    expect.anything(),
    { a: 1 },
    [1],
    "1Gi",
    "text",
    "",
  ]);
  expect(JSON.stringify(typedValue("9007199254740993"))).toBe("9007199254740993");
  expect(() => typedValue("{broken")).toThrow(/decoding/);
});

describe("applyResourceModifiers", () => {
  const item = pod("shop/web", { metadata: { labels: { app: "web" } } });
  const apply = (rules: object[], on: KubernetesObject = item, groupResource = "pods") =>
    applyResourceModifiers(
      parseResourceModifiers({ rules: JSON.stringify({ version: "v1", resourceModifierRules: rules }) }, JSON.parse),
      on,
      groupResource,
    );
  const mark = (conditions: object, value = "1") => ({
    conditions: { groupResource: "pods", ...conditions },
    mergePatches: [{ patchData: JSON.stringify({ metadata: { annotations: { [value]: "yes" } } }) }],
  });
  const conditions: Record<string, { conditions: object; applies: boolean; groupResource?: string }> = {
    "the type": { conditions: {}, applies: true },
    "another type": { conditions: { groupResource: "secrets" }, applies: false },
    "a type by pattern": { conditions: { groupResource: "*.apps" }, groupResource: "deployments.apps", applies: true },
    "a pattern that would have to cross a dot": {
      conditions: { groupResource: "*.io" },
      groupResource: "a.example.io",
      applies: false,
    },
    "the namespace by pattern": { conditions: { namespaces: ["sh*"] }, applies: true },
    "another namespace": { conditions: { namespaces: ["bank"] }, applies: false },
    "the name": { conditions: { resourceNameRegex: "e" }, applies: true },
    "another name": { conditions: { resourceNameRegex: "^e" }, applies: false },
    "the labels": { conditions: { labelSelector: { matchLabels: { app: "web" } } }, applies: true },
    "other labels": {
      conditions: { labelSelector: { matchExpressions: [{ key: "app", operator: "NotIn", values: ["web"] }] } },
      applies: false,
    },
    "a value": { conditions: { matches: [{ path: "/spec/containers/0/name", value: "main" }] }, applies: true },
    "another value": { conditions: { matches: [{ path: "/spec/containers/0/name", value: "x" }] }, applies: false },
    "a value that is not there": { conditions: { matches: [{ path: "/spec/nothing", value: "x" }] }, applies: false },
  };
  for (const [name, { conditions: given, applies, groupResource }] of Object.entries(conditions)) {
    test(`a rule for ${name} ${applies ? "applies" : "does not apply"}`, () => {
      const { object: modified, errors } = apply([mark(given)], item, groupResource);
      expect(errors).toEqual([]);
      expect(modified.metadata.annotations?.["1"]).toBe(applies ? "yes" : undefined);
    });
  }

  test("conditions look at the item as it came, patches build on each other", () => {
    const first = {
      conditions: { groupResource: "pods" },
      patches: [{ operation: "add", path: "/metadata/labels/app", value: "changed" }],
    };
    const second = mark({ labelSelector: { matchLabels: { app: "web" } } }, "second");
    const { object: modified } = apply([first, second]);
    expect([modified.metadata.labels, modified.metadata.annotations]).toEqual([{ app: "changed" }, { second: "yes" }]);
    expect(item.metadata.labels).toEqual({ app: "web" });
  });

  test("a test that fails leaves the item as it is; a path that is not there is an error of that rule alone", () => {
    const tested = {
      conditions: { groupResource: "pods" },
      patches: [
        { operation: "test", path: "/metadata/name", value: "other" },
        { operation: "remove", path: "/spec" },
      ],
    };
    expect(apply([tested])).toEqual({ object: item, errors: [] });
    const missing = {
      conditions: { groupResource: "pods" },
      patches: [{ operation: "replace", path: "/spec/nothing/here", value: "x" }],
    };
    const { object: modified, errors } = apply([missing, mark({})]);
    expect(errors).toEqual([expect.stringMatching(/nothing is at path \/spec\/nothing\/here/)]);
    expect(modified.metadata.annotations).toEqual({ "1": "yes" });
    expect(apply([{ conditions: { groupResource: "pods" } }]).errors).toEqual(["no patch data found"]);
    expect(
      apply([{ conditions: { groupResource: "[" }, patches: [{ operation: "remove", path: "/spec" }] }]).errors,
    ).toHaveLength(1);
    expect(
      apply([{ conditions: { groupResource: "pods" }, patches: [{ operation: "remove", path: "/kind" }] }]).errors,
    ).toEqual([expect.stringMatching(/no kind/)]);
  });

  const invalid: Record<string, { rules: unknown; text: RegExp }> = {
    "another version": {
      rules: { version: "v2", resourceModifierRules: [{}] },
      text: /unsupported resource modifier version v2/,
    },
    "a rule without type": {
      rules: { version: "V1", resourceModifierRules: [{ conditions: {} }] },
      text: /groupResource cannot be empty/,
    },
    "patches of two kinds": {
      rules: { version: "v1", resourceModifierRules: [{ ...mark({}), patches: [{ operation: "add", path: "/a" }] }] },
      text: /only one of patches/,
    },
    "an unknown operation": {
      rules: {
        version: "v1",
        resourceModifierRules: [{ conditions: { groupResource: "a" }, patches: [{ operation: "jump", path: "/a" }] }],
      },
      text: /unsupported operation jump/,
    },
    "no path": {
      rules: {
        version: "v1",
        resourceModifierRules: [{ conditions: { groupResource: "a" }, patches: [{ operation: "add" }] }],
      },
      text: /path cannot be empty/,
    },
    "a value that is no text": {
      rules: {
        version: "v1",
        resourceModifierRules: [
          { conditions: { groupResource: "a" }, patches: [{ operation: "add", path: "/a", value: 1 }] },
        ],
      },
      text: /patches\[0\].value is not a string/,
    },
    "a broken expression": {
      rules: { version: "v1", resourceModifierRules: [{ conditions: { groupResource: "a", resourceNameRegex: "(" } }] },
      text: /error in matching regex/,
    },
    "a list in place of a mapping": { rules: [], text: /not a mapping/ },
  };
  for (const [name, { rules, text }] of Object.entries(invalid)) {
    test(`refuses ${name}`, () =>
      expect(() => parseResourceModifiers({ x: JSON.stringify(rules) }, JSON.parse)).toThrow(text));
  }
});
