import type { LabelSelector } from "@jibe/base";
import { compileGlob } from "../select/glob.ts";
import { namespacePatternError } from "../select/namespace-pattern.ts";
import { readLabelSelector } from "./read-label-selector.ts";
import { array, fields, invalid, optional, stringList } from "./read-values.ts";

/** Narrows some types to the items that match. */
export interface ResourceRule {
  /** Empty for the rule that takes all types which no other rule names. */
  readonly kinds: readonly string[];
  /** Of which one must match, unless there are none. */
  readonly selectors: readonly LabelSelector[];
  readonly names: readonly string[];
  readonly excludedNames: readonly string[];
}

/** In the namespaces that match only the types with a rule are taken. */
export interface NamespacedRules {
  readonly namespaces: readonly string[];
  readonly rules: readonly ResourceRule[];
}

/** Rules that stand in for the selectors of a spec, for the types and namespaces that they name. */
export interface FilterPolicies {
  readonly clusterScoped: readonly ResourceRule[];
  readonly namespaced: readonly NamespacedRules[];
}

/** Reads the filter policies of a policy document; what is wrong is told in Velero's words. */
export function readFilterPolicies(document: Readonly<Record<string, unknown>>): FilterPolicies {
  const clusterScoped = optional(document["clusterScopedFilterPolicy"], readClusterScoped) ?? [];
  const where = "namespacedFilterPolicies";
  const policies = optional(document[where], (list) => array(list, where)) ?? [];
  const namespaced = policies.map((item, index) => readNamespaced(item, `${where}[${index}]`));
  refuseSamePattern(namespaced);
  return { clusterScoped, namespaced };
}

function readClusterScoped(value: unknown): readonly ResourceRule[] {
  const where = "clusterScopedFilterPolicy";
  const rules = readRules(fields(value, where, ["resourceFilters"])["resourceFilters"], where);
  if (rules.length === 0) {
    throw invalid(`${where}: resourceFilters cannot be empty; remove the policy block entirely if it is not needed`);
  }
  const all = rules.findIndex(({ kinds }) => kinds.length === 0);
  if (all >= 0) {
    throw invalid(`${where}.resourceFilters[${all}]: kinds must be specified (catch-all is not supported)`);
  }
  return rules;
}

function readNamespaced(value: unknown, where: string): NamespacedRules {
  const policy = fields(value, where, ["namespaces", "resourceFilters"]);
  const namespaces = optional(policy["namespaces"], (list) => stringList(list, `${where}.namespaces`)) ?? [];
  if (namespaces.length === 0) throw invalid(`${where}: at least one namespace must be specified`);
  const rules = readRules(policy["resourceFilters"], where);
  if (rules.length === 0) throw invalid(`${where}: at least one resourceFilter must be specified`);
  for (const [index, pattern] of namespaces.entries()) {
    const error = namespacePatternError(pattern);
    if (error !== undefined) throw invalid(`${where}.namespaces[${index}]: ${error}`);
  }
  const all = rules.flatMap(({ kinds }, index) => (kinds.length === 0 ? [index] : []));
  if (all.length > 1) throw invalid(`${where}: only one catch-all resource filter is allowed`);
  const named = all.find((index) => rules[index]?.names.length || rules[index]?.excludedNames.length);
  if (named !== undefined) {
    const what = "names or excludedNames cannot be specified for catch-all filters";
    throw invalid(`${where}.resourceFilters[${named}]: ${what}`);
  }
  return { namespaces, rules };
}

function readRules(value: unknown, where: string): readonly ResourceRule[] {
  const list = optional(value, (given) => array(given, `${where}.resourceFilters`)) ?? [];
  const rules = list.map((item, index) => readRule(item, `${where}.resourceFilters[${index}]`));
  const seen = new Map<string, number>();
  for (const [index, { kinds }] of rules.entries()) {
    for (const kind of kinds.filter((each) => each !== "*")) {
      const before = seen.get(kind);
      if (before !== undefined) {
        const both = `resourceFilters[${before}] and resourceFilters[${index}]`;
        throw invalid(`${where}: kind ${JSON.stringify(kind)} appears in both ${both}`);
      }
      seen.set(kind, index);
    }
  }
  return rules;
}

function readRule(value: unknown, where: string): ResourceRule {
  const rule = fields(value, where, ["kinds", "labelSelector", "orLabelSelectors", "names", "excludedNames"]);
  const lists = (key: string) => optional(rule[key], (list) => stringList(list, `${where}.${key}`)) ?? [];
  const kinds = lists("kinds");
  const own = optional(rule["labelSelector"], (given) => readLabelSelector(given, where));
  const others = optional(rule["orLabelSelectors"], (list) => array(list, `${where}.orLabelSelectors`)) ?? [];
  if (own && others.length > 0) throw invalid(`${where}: labelSelector and orLabelSelectors cannot co-exist`);
  const any = others.flatMap((each, index) => readLabelSelector(each, `${where}.orLabelSelectors[${index}]`) ?? []);
  return {
    kinds: kinds.length === 1 && kinds[0] === "*" ? [] : kinds,
    selectors: own ? [own] : any,
    names: readPatterns(lists("names"), `${where}.names`),
    excludedNames: readPatterns(lists("excludedNames"), `${where}.excludedNames`),
  };
}

function readPatterns(patterns: readonly string[], where: string): readonly string[] {
  for (const [index, pattern] of patterns.entries()) {
    if (compileGlob(pattern)) continue;
    throw invalid(`${where}[${index}]: invalid glob pattern ${JSON.stringify(pattern)}`);
  }
  return patterns;
}

function refuseSamePattern(policies: readonly NamespacedRules[]): void {
  const seen = new Map<string, number[]>();
  for (const [index, { namespaces }] of policies.entries()) {
    for (const pattern of namespaces) seen.set(pattern, [...(seen.get(pattern) ?? []), index]);
  }
  for (const [pattern, found] of seen) {
    if (found.length < 2) continue;
    const where = `'${pattern}' found in policies [${found.join(" ")}]`;
    throw invalid(`namespacedFilterPolicies: duplicate namespace pattern ${where}`);
  }
}
