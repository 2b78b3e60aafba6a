import { type LabelSelector, matchesLabels } from "@jibe/base";
import type { BackupSpec } from "@jibe/plugin-sdk/contracts";
import type { IncludesExcludes } from "../select/includes-excludes.ts";

/** A namespace, as far as its own place in the backup depends on it. */
export interface NamespaceFacts {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly active: boolean;
}

/**
 * Decides which Namespace objects belong to a backup: the active ones that a selector or the namespace filter chose, and every one
 * that an item was collected from.
 */
export class NamespaceTracker {
  readonly #tracked = new Set<string>();
  readonly #filter: IncludesExcludes;

  constructor(namespaces: readonly NamespaceFacts[], spec: BackupSpec, filter: IncludesExcludes) {
    this.#filter = filter;
    const selectors = selectorsOf(spec);
    const onlySelected = filter.includesEverything() && selectors.length > 0;
    for (const { name, labels, active } of namespaces) {
      if (!active) continue;
      const selected = selectors.some((selector) => matchesLabels(selector, labels));
      if (selected || (!onlySelected && filter.shouldInclude(name))) this.#tracked.add(name);
    }
  }

  /** Notes that an item of this namespace was collected. */
  track(namespace: string): void {
    if (this.#filter.shouldInclude(namespace)) this.#tracked.add(namespace);
  }

  has(namespace: string): boolean {
    return this.#tracked.has(namespace);
  }
}

/** The label selectors of a spec; more than one means any of them. */
export function selectorsOf({ labelSelector, orLabelSelectors }: BackupSpec): readonly LabelSelector[] {
  if (orLabelSelectors && orLabelSelectors.length > 0) return orLabelSelectors;
  return labelSelector ? [labelSelector] : [];
}
