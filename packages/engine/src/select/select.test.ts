import { describe, expect, test } from "vitest";
import type { ResourceType } from "../ports/cluster.ts";
import { actionSelector } from "./action-selector.ts";
import { compileGlob } from "./glob.ts";
import { includesExcludes } from "./includes-excludes.ts";
import { backupNamespaceFilter } from "./namespace-filter.ts";
import { namespacePatternError } from "./namespace-pattern.ts";
import { resourceFilter } from "./resource-filter.ts";
import { includesExcludesErrors, namespaceListErrors, scopedIncludesExcludesErrors } from "./validate-lists.ts";

describe("compileGlob", () => {
  const cases: Record<string, { pattern: string; separators?: string; yes: string[]; no: string[] }> = {
    "a plain word is itself": { pattern: "pods", yes: ["pods"], no: ["pod", "podss", "xpods"] },
    "a star spans dots": { pattern: "*.apps", yes: ["deployments.apps", "a.b.apps", ".apps"], no: ["apps"] },
    "a star stops at a separator": { pattern: "*.apps", separators: ".", yes: ["deployments.apps"], no: ["a.b.apps"] },
    "two stars cross separators": { pattern: "**.apps", separators: ".", yes: ["a.b.apps"], no: ["apps"] },
    "a question mark is one character": { pattern: "ns-?", yes: ["ns-1", "ns-ü"], no: ["ns-", "ns-12"] },
    "a class": { pattern: "ns-[ab]", yes: ["ns-a"], no: ["ns-c", "ns-ab"] },
    "a range": { pattern: "ns-[a-c]", yes: ["ns-b"], no: ["ns-d", "ns--"] },
    "a negated class": { pattern: "ns-[!ab]", yes: ["ns-c"], no: ["ns-a"] },
    alternatives: { pattern: "{a,b*}-x", yes: ["a-x", "bcd-x"], no: ["c-x", "ab-x"] },
    "characters special to regular expressions are plain": { pattern: "a.b+(*", yes: ["a.b+(x"], no: ["aXb+(x"] },
    "a backslash takes the next character as it is": { pattern: "a\\*", yes: ["a*"], no: ["ab"] },
  };
  for (const [name, { pattern, separators = "", yes, no }] of Object.entries(cases)) {
    test(name, () => {
      const matches = compileGlob(pattern, { separators });
      expect(yes.filter((text) => !matches?.(text))).toEqual([]);
      expect(no.filter((text) => matches?.(text))).toEqual([]);
    });
  }
  test("a broken pattern compiles to nothing", () => {
    for (const pattern of ["[", "a[", "[]", "{a", "a\\", "[z-a]"]) expect(compileGlob(pattern)).toBeUndefined();
  });
});

describe("includesExcludes", () => {
  const cases: Record<
    string,
    { includes?: string[]; excludes?: string[]; yes: string[]; no: string[]; all?: boolean }
  > = {
    "empty lists include everything": { yes: ["a"], no: [], all: true },
    "a star includes everything": { includes: ["*"], yes: ["a"], no: [], all: true },
    "an exclude wins": { includes: ["a", "b"], excludes: ["b"], yes: ["a"], no: ["b", "c"] },
    "excludes alone": { excludes: ["kube-*"], yes: ["shop"], no: ["kube-system"] },
    "an include pattern that matches nothing includes nothing": { includes: ["zz-*"], yes: [], no: ["a", ""] },
    "a star beside others is no filter but not everything": { includes: ["*", "a"], yes: ["b"], no: [], all: false },
  };
  for (const [name, { includes, excludes, yes, no, all = false }] of Object.entries(cases)) {
    test(name, () => {
      const filter = includesExcludes({ includes, excludes });
      expect(yes.every((item) => filter.shouldInclude(item))).toBe(true);
      expect(no.some((item) => filter.shouldInclude(item))).toBe(false);
      expect(filter.includesEverything()).toBe(all);
    });
  }
});

describe("validation", () => {
  test("old style lists", () => {
    expect(includesExcludesErrors({ includes: ["*", "a"], excludes: ["*", "a"] })).toEqual([
      "includes list must either contain '*' only, or a non-empty list of items",
      "excludes list cannot contain '*'",
      "excludes list cannot contain an item in the includes list: *",
      "excludes list cannot contain an item in the includes list: a",
    ]);
    expect(includesExcludesErrors({})).toEqual([]);
  });
  test("scoped lists", () => {
    expect(scopedIncludesExcludesErrors({ excludes: ["*"] })).toEqual([]);
    expect(scopedIncludesExcludesErrors({ includes: ["a"], excludes: ["*", "b"] })).toEqual([
      "excludes list must either contain '*' only, or a non-empty list of items",
      "when exclude is '*', include cannot have value",
    ]);
  });
  test("namespaces must be possible names or patterns", () => {
    expect(namespaceListErrors({ includes: ["", "shop", "kube-*", "ns-[ab]", "a?c"], excludes: ["b"] })).toEqual([]);
    expect(namespaceListErrors({ includes: ["Shop"] })).toEqual([
      expect.stringMatching(/^invalid namespace "Shop": a lowercase RFC 1123/),
    ]);
    const bad: Record<string, RegExp> = {
      "a|b": /unsupported/,
      "a**": /consecutive/,
      "a[]": /empty/,
      "a[b": /unclosed/,
      "a]": /unmatched/,
    };
    for (const [pattern, text] of Object.entries(bad)) expect(namespacePatternError(pattern)).toMatch(text);
  });
});

describe("namespace filters", () => {
  const existing = ["bank", "shop-1", "shop-2"];
  test("a backup expands patterns, keeps plain names and knows when nothing is left", () => {
    const filter = backupNamespaceFilter({ includes: ["shop-*", "absent"], excludes: ["*-2"] }, existing);
    expect([filter.includes, filter.excludes]).toEqual([["absent", "shop-1", "shop-2"], ["shop-2"]]);
    expect(existing.filter((name) => filter.shouldInclude(name))).toEqual(["shop-1"]);
    const nothing = backupNamespaceFilter({ includes: ["zz-*"] }, existing);
    expect([nothing.shouldInclude("bank"), nothing.includesEverything()]).toEqual([false, false]);
  });
  test("a star keeps exclude patterns as they are", () => {
    const filter = backupNamespaceFilter({ includes: ["*"], excludes: ["shop-*"] }, existing);
    expect(filter.excludes).toEqual(["shop-*"]);
    expect(existing.filter((name) => filter.shouldInclude(name))).toEqual(["bank"]);
  });
  test("naming all that exist is everything", () => {
    expect(backupNamespaceFilter({ includes: existing }, existing).includesEverything()).toBe(true);
  });
});

const pods: ResourceType = {
  group: "",
  version: "v1",
  resource: "pods",
  kind: "Pod",
  namespaced: true,
  verbs: [],
  shortNames: ["po"],
  singular: "pod",
  subresources: [],
};
const types = { find: (name: string) => (["po", "pod", "pods"].includes(name) ? pods : undefined) };

test("resource names are resolved; unknown ones stay and select nothing", () => {
  const filter = resourceFilter({ includes: ["po"], excludes: ["*"] }, types);
  expect([filter.includes, filter.excludes]).toEqual([["pods"], []]);
  const unknown = resourceFilter({ includes: ["nosuch"] }, types);
  expect([unknown.shouldInclude("pods"), unknown.shouldInclude("nosuch")]).toEqual([false, true]);
});

describe("actionSelector", () => {
  const select = (selector: Parameters<typeof actionSelector>[0]["selector"]) =>
    actionSelector({ name: "x/y", selector }, types);
  test("an empty selector matches everything", () => {
    const selector = select({});
    expect(selector.matchesPlace({ groupResource: "pods", namespace: "" })).toBe(true);
    expect(selector.matchesLabels(undefined)).toBe(true);
  });
  test("cluster-scoped items match only without namespace restriction", () => {
    const place = { groupResource: "persistentvolumes", namespace: "" };
    expect(select({ includedNamespaces: ["*"] }).matchesPlace(place)).toBe(true);
    expect(select({ includedNamespaces: ["shop"] }).matchesPlace(place)).toBe(false);
    expect(select({ excludedNamespaces: ["shop"] }).matchesPlace(place)).toBe(false);
  });
  test("short names and labels", () => {
    const selector = select({ includedResources: ["po"], labelSelector: "app=shop" });
    expect(selector.matchesPlace({ groupResource: "pods", namespace: "a" })).toBe(true);
    expect([selector.matchesLabels({ app: "shop" }), selector.matchesLabels({})]).toEqual([true, false]);
  });
  test("a label selector that cannot be read names the action", () => {
    expect(() => select({ labelSelector: "a in" })).toThrow(/"x\/y"/);
  });
});
