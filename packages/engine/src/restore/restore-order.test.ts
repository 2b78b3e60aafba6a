import { describe, expect, test } from "vitest";
import { chooseVersions, compareVersions, parseVersionPriorities } from "./choose-versions.ts";
import { defaultPriorities, orderWaves, parsePriorities } from "./resource-priorities.ts";

describe("parsePriorities", () => {
  const cases: Record<string, { text: string; high: readonly string[]; low: readonly string[] }> = {
    "nothing keeps the defaults": { text: "", ...defaultPriorities },
    "without separator only the high list changes": { text: "a, b", high: ["a", "b"], low: defaultPriorities.low },
    "a leading separator changes only the low list": { text: "-,c", high: defaultPriorities.high, low: ["c"] },
    "both lists": { text: "a,-,c,d", high: ["a"], low: ["c", "d"] },
    "an empty low list": { text: "a,-", high: ["a"], low: [] },
  };
  for (const [name, { text, high, low }] of Object.entries(cases)) {
    test(name, () => expect(parsePriorities(text)).toEqual({ high, low }));
  }
  test("two separators are refused", () => expect(() => parsePriorities("a,-,b,-")).toThrow(/separator/));
});

test("orderWaves: high entries one by one, the others as one, low entries one by one, each type once", () => {
  const resolve = (name: string) => ({ po: "pods", customresourcedefinitions: "crds.x" })[name] ?? name;
  const inBackup = ["pods", "crds.x", "zebras", "apples", "secrets", "last", "apiservices.apiregistration.k8s.io"];
  expect(
    orderWaves(inBackup, { high: ["secrets", "po", "pods", "absent"], low: ["last", "secrets"] }, resolve),
  ).toEqual([
    { name: "crds.x", groupResources: ["crds.x"] },
    { name: "secrets", groupResources: ["secrets"] },
    { name: "pods", groupResources: ["pods"] },
    { name: "other types", groupResources: ["apples", "zebras"] },
    { name: "webhooks and API services", groupResources: ["apiservices.apiregistration.k8s.io"] },
    { name: "last", groupResources: ["last"] },
  ]);
});

describe("chooseVersions", () => {
  const archive = (...versions: string[]) => ({
    groupResources: () => ["widgets.example.io", "old"],
    versions: (name: string) =>
      name === "old"
        ? []
        : versions.map((version) => ({ version: version.replace("*", ""), preferred: version.endsWith("*") })),
  });
  const target = (preferredVersion: string, ...others: string[]) => ({
    groups: [{ name: "example.io", preferredVersion, versions: [preferredVersion, ...others] }],
  });
  const cases: Record<
    string,
    { source: string[]; target: ReturnType<typeof target> | { groups: never[] }; user?: string; want: string }
  > = {
    "the source's, if the target lacks the group": { source: ["v1*", "v2"], target: { groups: [] }, want: "v1" },
    "the user's wish, if both have it": {
      source: ["v1*", "v2", "v3"],
      target: target("v2", "v1", "v3"),
      user: "widgets.example.io = v9,v3",
      want: "v3",
    },
    "the target's preferred, if the backup has it": {
      source: ["v1*", "v2"],
      target: target("v2", "v1"),
      user: "broken line",
      want: "v2",
    },
    "the source's preferred, if the target serves it": {
      source: ["v1*", "v2"],
      target: target("v3", "v1"),
      want: "v1",
    },
    "the best that both have": {
      source: ["v1*", "v1beta1", "v2beta1"],
      target: target("v3", "v1beta1", "v2beta1"),
      want: "v2beta1",
    },
    "the source's preferred, if they share none": { source: ["v1*"], target: target("v3"), want: "v1" },
  };
  for (const [name, { source, target: served, user = "", want }] of Object.entries(cases)) {
    test(`takes ${name}`, () =>
      expect([...chooseVersions(archive(...source), served, user)]).toEqual([["widgets.example.io", want]]));
  }
  test("versions are ordered as Kubernetes does", () => {
    const sorted = ["v1alpha1", "foo1", "v2", "v10", "v1beta2", "v11beta1", "v1", "foo10"].sort(compareVersions);
    expect(sorted).toEqual(["v10", "v2", "v1", "v11beta1", "v1beta2", "v1alpha1", "foo1", "foo10"]);
    expect(parseVersionPriorities("a.b=v1\n\nx==y\nc=").size).toBe(1);
  });
});
