import { compileGlob, type Glob } from "./glob.ts";

/** What a filter consists of; both lists may hold globs. */
export interface IncludeExcludeLists {
  readonly includes?: readonly string[] | undefined;
  readonly excludes?: readonly string[] | undefined;
}

/** A filter by name. Excludes win; no includes, or `*` among them, include everything that is not excluded. */
export interface IncludesExcludes {
  readonly includes: readonly string[];
  readonly excludes: readonly string[];
  shouldInclude(name: string): boolean;
  /** Whether some include (a plain one, a glob, or `*`) names it. An empty list names nothing. */
  isListed(name: string): boolean;
  isExcluded(name: string): boolean;
  /** True only when nothing at all is filtered out. */
  includesEverything(): boolean;
}

export function includesExcludes(lists: IncludeExcludeLists): IncludesExcludes {
  const includes = unique(lists.includes);
  const excludes = unique(lists.excludes);
  const included = matcherOf(includes);
  const excluded = matcherOf(excludes);
  const all = includes.length === 0 || includes.includes("*");
  return {
    includes,
    excludes,
    shouldInclude: (name) => !excluded(name) && (all || included(name)),
    isListed: included,
    isExcluded: excluded,
    includesEverything: () => excludes.length === 0 && all && includes.length <= 1,
  };
}

/** A filter that lets nothing through. */
export function includesNothing(lists: IncludeExcludeLists): IncludesExcludes {
  return {
    includes: unique(lists.includes),
    excludes: unique(lists.excludes),
    shouldInclude: () => false,
    isListed: () => false,
    isExcluded: () => true,
    includesEverything: () => false,
  };
}

function unique(list: readonly string[] | undefined): string[] {
  return [...new Set(list ?? [])].sort();
}

function matcherOf(patterns: readonly string[]): Glob {
  const literals = new Set(patterns);
  // A pattern that is no valid glob can only be meant as it stands.
  const globs = patterns
    .filter((pattern) => /[*?[\]{}\\]/.test(pattern))
    .flatMap((pattern) => compileGlob(pattern) ?? []);
  return (name) => literals.has(name) || globs.some((matches) => matches(name));
}
