import { describe, expect, test } from "vitest";
import { readFilterPolicies } from "./filter-policies.ts";

const rule = (fields: object = {}) => ({ kinds: ["configmaps"], ...fields });
const namespaced = (...rules: object[]) => ({
  namespacedFilterPolicies: [{ namespaces: ["a"], resourceFilters: rules }],
});
const clusterScoped = (...rules: object[]) => ({ clusterScopedFilterPolicy: { resourceFilters: rules } });

test("filter policies are read with their selectors, names and patterns", () => {
  const labelSelector = { matchLabels: { a: "b" }, matchExpressions: [{ key: "c", operator: "In", values: ["d"] }] };
  const all = { kinds: ["*"], orLabelSelectors: [{ matchLabels: { x: "y" } }, {}] };
  const read = readFilterPolicies({
    ...namespaced(rule({ labelSelector, names: ["x-*"], excludedNames: ["x-1"] }), all),
    ...clusterScoped(rule({ labelSelector: {} })),
  });
  const selector = { matchLabels: { x: "y" }, matchExpressions: [] };
  expect(read).toEqual({
    clusterScoped: [{ kinds: ["configmaps"], selectors: [], names: [], excludedNames: [] }],
    namespaced: [
      {
        namespaces: ["a"],
        rules: [
          { kinds: ["configmaps"], selectors: [labelSelector], names: ["x-*"], excludedNames: ["x-1"] },
          { kinds: [], selectors: [selector], names: [], excludedNames: [] },
        ],
      },
    ],
  });
});

const refused: Record<string, { document: Record<string, unknown>; want: string | RegExp }> = {
  "a policy without namespaces": {
    document: { namespacedFilterPolicies: [{ namespaces: [], resourceFilters: [rule()] }] },
    want: "namespacedFilterPolicies[0]: at least one namespace must be specified",
  },
  "a policy without rules": {
    document: namespaced(),
    want: "namespacedFilterPolicies[0]: at least one resourceFilter must be specified",
  },
  "a broken namespace pattern": {
    document: { namespacedFilterPolicies: [{ namespaces: ["a**"], resourceFilters: [rule()] }] },
    want: /^namespacedFilterPolicies\[0\]\.namespaces\[0\]: wildcard pattern contains consecutive asterisks/,
  },
  "the same namespace in two policies": {
    document: {
      namespacedFilterPolicies: [
        { namespaces: ["a"], resourceFilters: [rule()] },
        { namespaces: ["b", "a"], resourceFilters: [rule()] },
      ],
    },
    want: "namespacedFilterPolicies: duplicate namespace pattern 'a' found in policies [0 1]",
  },
  "two rules for all other types": {
    document: namespaced({ kinds: ["*"] }, {}),
    want: "namespacedFilterPolicies[0]: only one catch-all resource filter is allowed",
  },
  "names in the rule for all other types": {
    document: namespaced({ kinds: [], names: ["x"] }),
    want: "namespacedFilterPolicies[0].resourceFilters[0]: names or excludedNames cannot be specified for catch-all filters",
  },
  "a kind in two rules": {
    document: namespaced(rule(), rule()),
    want: 'namespacedFilterPolicies[0]: kind "configmaps" appears in both resourceFilters[0] and resourceFilters[1]',
  },
  "both kinds of selectors": {
    document: namespaced(rule({ labelSelector: { matchLabels: { a: "b" } }, orLabelSelectors: [{}] })),
    want: "namespacedFilterPolicies[0].resourceFilters[0]: labelSelector and orLabelSelectors cannot co-exist",
  },
  "an unknown operator": {
    document: clusterScoped(rule({ labelSelector: { matchExpressions: [{ key: "a", operator: "Is" }] } })),
    want: 'clusterScopedFilterPolicy.resourceFilters[0]: invalid label selector: "Is" is not a valid label selector operator',
  },
  "In without values": {
    document: namespaced(rule({ orLabelSelectors: [{ matchExpressions: [{ key: "a", operator: "In" }] }] })),
    want: /^namespacedFilterPolicies\[0\]\.resourceFilters\[0\]\.orLabelSelectors\[0\]: invalid label selector: .*can't be empty$/,
  },
  "Exists with values": {
    document: namespaced(
      rule({ labelSelector: { matchExpressions: [{ key: "a", operator: "Exists", values: ["b"] }] } }),
    ),
    want: /values set must be empty for exists and does not exist$/,
  },
  "a broken name pattern": {
    document: namespaced(rule({ names: ["ok", "[a"] })),
    want: 'namespacedFilterPolicies[0].resourceFilters[0].names[1]: invalid glob pattern "[a"',
  },
  "a rule for the cluster without kinds": {
    document: clusterScoped({ kinds: ["*"] }),
    want: "clusterScopedFilterPolicy.resourceFilters[0]: kinds must be specified (catch-all is not supported)",
  },
  "no rules for the cluster": {
    document: clusterScoped(),
    want: "clusterScopedFilterPolicy: resourceFilters cannot be empty; remove the policy block entirely if it is not needed",
  },
  "an unknown field": {
    document: namespaced(rule({ labels: {} })),
    want: "namespacedFilterPolicies[0].resourceFilters[0]: field labels not found",
  },
};

describe("filter policies refuse", () => {
  for (const [name, { document, want }] of Object.entries(refused)) {
    test(name, () => expect(() => readFilterPolicies(document)).toThrow(want));
  }
});
