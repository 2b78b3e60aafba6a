import type { IncludeExcludeLists } from "./includes-excludes.ts";
import { namespacePatternError } from "./namespace-pattern.ts";

const includesStarText = "includes list must either contain '*' only, or a non-empty list of items";

/** What is wrong with an include and an exclude list of the old style, in Velero's words. */
export function includesExcludesErrors(lists: IncludeExcludeLists): string[] {
  const { includes, excludes } = sets(lists);
  return [
    ...(includes.size > 1 && includes.has("*") ? [includesStarText] : []),
    ...(excludes.has("*") ? ["excludes list cannot contain '*'"] : []),
    ...inBoth(includes, excludes),
  ];
}

/** The same for the lists of one scope (cluster or namespaced), where everything may be excluded. */
export function scopedIncludesExcludesErrors(lists: IncludeExcludeLists): string[] {
  const { includes, excludes } = sets(lists);
  return [
    ...(includes.size > 1 && includes.has("*") ? [includesStarText] : []),
    ...(excludes.size > 1 && excludes.has("*")
      ? ["excludes list must either contain '*' only, or a non-empty list of items"]
      : []),
    ...(includes.size > 0 && excludes.has("*") ? ["when exclude is '*', include cannot have value"] : []),
    ...inBoth(includes, excludes),
  ];
}

/** The same for namespaces, whose names and patterns must be possible ones. */
export function namespaceListErrors(lists: IncludeExcludeLists): string[] {
  const { includes, excludes } = sets(lists);
  const names = [...[...includes].sort(), ...[...excludes].sort()];
  return [...includesExcludesErrors(lists), ...names.flatMap(namespaceNameErrors)];
}

function sets({ includes, excludes }: IncludeExcludeLists): { includes: Set<string>; excludes: Set<string> } {
  return { includes: new Set(includes ?? []), excludes: new Set(excludes ?? []) };
}

function inBoth(includes: ReadonlySet<string>, excludes: ReadonlySet<string>): string[] {
  const both = [...excludes].filter((item) => includes.has(item)).sort();
  return both.map((item) => `excludes list cannot contain an item in the includes list: ${item}`);
}

function namespaceNameErrors(namespace: string): string[] {
  if (namespace === "") return []; // stands for "no namespace"
  const patternError = namespacePatternError(namespace);
  if (patternError !== undefined) return [patternError];
  const name = namespace.replace(/[*?[\]]/g, "x");
  const errors: string[] = [];
  if (name.length > 63) errors.push("must be no more than 63 characters");
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) {
    errors.push(
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
        "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    );
  }
  return errors.map((text) => `invalid namespace ${JSON.stringify(namespace)}: ${text}`);
}
