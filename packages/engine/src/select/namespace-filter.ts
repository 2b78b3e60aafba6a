import {
  type IncludeExcludeLists,
  type IncludesExcludes,
  includesExcludes,
  includesNothing,
} from "./includes-excludes.ts";
import { expandNamespacePatterns, isNamespacePattern } from "./namespace-pattern.ts";

/**
 * The namespace filter of a backup. Patterns are expanded against the namespaces that exist when some entry is a pattern and the
 * includes name no bare `*`; includes that match nothing then include nothing. It also counts as "everything" when it names exactly
 * the namespaces that exist.
 */
export function backupNamespaceFilter(lists: IncludeExcludeLists, existing: readonly string[]): IncludesExcludes {
  const includes = lists.includes ?? [];
  const excludes = lists.excludes ?? [];
  const expands =
    includes.length > 0 &&
    !includes.includes("*") &&
    [...includes, ...excludes].some((entry) => isNamespacePattern(entry));
  if (!expands) return orAllOf(includesExcludes({ includes, excludes }), existing);
  const expanded = {
    includes: expandNamespacePatterns(includes, existing),
    excludes: expandNamespacePatterns(excludes, existing),
  };
  return expanded.includes.length === 0 ? includesNothing(expanded) : orAllOf(includesExcludes(expanded), existing);
}

function orAllOf(filter: IncludesExcludes, existing: readonly string[]): IncludesExcludes {
  const all = [...existing].sort();
  const namesAll =
    filter.excludes.length === 0 &&
    all.length === filter.includes.length &&
    all.every((namespace, index) => namespace === filter.includes[index]);
  return { ...filter, includesEverything: () => filter.includesEverything() || namesAll };
}
