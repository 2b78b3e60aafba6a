import { AppError, type Logger, matchesLabels } from "@jibe/base";
import type { FilterPolicies, ResourceRule } from "../policies/filter-policies.ts";
import { NamespaceLookup } from "../policies/namespace-lookup.ts";
import { includesExcludes } from "../select/includes-excludes.ts";
import { type ResourceFinder, resolveResourceName } from "../select/resource-filter.ts";

/** Says of single items of one type in one namespace whether they are selected. */
export interface ItemFilter {
  /** Whether `matches` must be told the labels. */
  readonly needsLabels: boolean;
  matches(name: string, labels: Readonly<Record<string, string>> | undefined): boolean;
}

/** What the filter policies say of the items of one type in one namespace. */
export type FilterDecision =
  | { readonly kind: "filter"; readonly filter: ItemFilter }
  /** None of them is restored. */
  | { readonly kind: "none" }
  /** The selectors of the spec decide. */
  | { readonly kind: "spec" };

/** The place of items that a decision is about. Their `kind` is asked for only where no rule names their type. */
export interface FilteredItems {
  readonly groupResource: string;
  /** The original one; empty for cluster-scoped items. */
  readonly namespace: string;
  readonly kind: () => Promise<string>;
}

interface RuleSet {
  readonly byType: ReadonlyMap<string, ItemFilter>;
  /** For items whose type no rule names, by the kind they bear; empty where Velero would not look either. */
  readonly byKind: ReadonlyMap<string, ItemFilter>;
  readonly forOthers: ItemFilter | undefined;
}

/**
 * Filter policies with their names resolved. Of namespaces an exact name wins, then the first pattern that matches; a rule for a type wins
 * over the one for all others. Two rules that turn out to name the same type fail with `InvalidArgument`.
 */
export class FilterRules {
  readonly #clusterScoped: RuleSet;
  readonly #namespaced = new NamespaceLookup<RuleSet>();

  constructor({ clusterScoped, namespaced }: FilterPolicies, types: ResourceFinder, log: Logger) {
    this.#clusterScoped = ruleSet(clusterScoped, { types, log, namespaced: false });
    for (const { namespaces, rules: given } of namespaced) {
      const rules = ruleSet(given, { types, log, namespaced: true });
      for (const pattern of namespaces) this.#namespaced.add(pattern, rules);
    }
  }

  async decide({ groupResource, namespace, kind }: FilteredItems): Promise<FilterDecision> {
    const rules = namespace === "" ? this.#clusterScoped : this.#namespaced.find(namespace);
    if (!rules) return { kind: "spec" };
    const filter = rules.byType.get(groupResource) ?? (await byKind(rules, kind)) ?? rules.forOthers;
    if (filter) return { kind: "filter", filter };
    return { kind: namespace === "" ? "spec" : "none" };
  }
}

async function byKind({ byKind: filters }: RuleSet, kind: () => Promise<string>): Promise<ItemFilter | undefined> {
  return filters.size === 0 ? undefined : filters.get((await kind()).toLowerCase());
}

function ruleSet(
  given: readonly ResourceRule[],
  { types, log, namespaced }: { readonly types: ResourceFinder; readonly log: Logger; readonly namespaced: boolean },
): RuleSet {
  const byType = new Map<string, ItemFilter>();
  const kinds = new Map<string, ItemFilter>();
  let forOthers: ItemFilter | undefined;
  let looksAtKinds = !namespaced;
  for (const rule of given) {
    const filter = itemFilter(rule);
    if (rule.kinds.length === 0) forOthers = filter;
    if (rule.kinds.length === 0 || rule.kinds.some((kind) => !types.find(kind))) looksAtKinds = true;
    for (const kind of rule.kinds.map((each) => each.toLowerCase())) {
      warnOfScope(kind, { types, log, namespaced });
      const type = resolveResourceName(kind, types);
      if (byType.has(type)) {
        throw new AppError("InvalidArgument", `ambiguous policy: duplicate kind ${JSON.stringify(type)} detected`);
      }
      byType.set(type, filter);
      if (!kinds.has(kind)) kinds.set(kind, filter);
    }
  }
  return { byType, byKind: looksAtKinds ? kinds : new Map(), forOthers };
}

function warnOfScope(
  kind: string,
  { types, log, namespaced }: { readonly types: ResourceFinder; readonly log: Logger; readonly namespaced: boolean },
): void {
  const type = types.find(kind);
  if (!type) log.warn("a filter policy names a type that nobody knows", { kind });
  else if (type.namespaced !== namespaced) {
    const policy = namespaced ? "namespacedFilterPolicies" : "clusterScopedFilterPolicy";
    log.warn("a filter policy names a type of the other scope, which it never meets", { kind, policy });
  }
}

function itemFilter({ selectors, names, excludedNames }: ResourceRule): ItemFilter {
  const byName = includesExcludes({ includes: names, excludes: excludedNames });
  return {
    needsLabels: selectors.length > 0,
    matches: (name, labels) =>
      byName.shouldInclude(name) &&
      (selectors.length === 0 || selectors.some((selector) => matchesLabels(selector, labels))),
  };
}
