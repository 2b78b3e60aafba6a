import type { ResultMessages, RunResults } from "@jibe/engine";
import type { Description } from "./description.ts";

/** The warnings and errors of a run, by where they belong. */
export function describeResults(
  into: Description,
  counts: { readonly warnings?: number; readonly errors?: number },
  results: RunResults | undefined,
): void {
  if (!counts.warnings && !counts.errors) return;
  if (!results) {
    into
      .field("Warnings", counts.warnings ?? 0)
      .field("Errors", counts.errors ?? 0)
      .line();
    return;
  }
  if (counts.warnings) describeMessages(into, "Warnings", results.warnings);
  if (counts.errors) describeMessages(into, "Errors", results.errors);
}

function describeMessages(
  into: Description,
  title: string,
  { velero = [], cluster = [], namespaces = {} }: ResultMessages,
): void {
  into.line(`${title}:`);
  describePart(into, "Velero", velero);
  describePart(into, "Cluster", cluster);
  const names = Object.keys(namespaces).sort();
  if (names.length === 0) into.line("\tNamespaces: <none>");
  else {
    into.line("\tNamespaces:");
    for (const name of names) {
      into.line(`\t\t${name}:\t${namespaces[name]?.[0] ?? ""}`);
      for (const message of namespaces[name]?.slice(1) ?? []) into.line(`\t\t\t${message}`);
    }
  }
  into.line();
}

function describePart(into: Description, title: string, messages: readonly string[]): void {
  if (messages.length === 0) into.line(`\t${title}:\t\t<none>`); // an empty cell, as Velero has it
  for (const [index, message] of messages.entries())
    into.line(index === 0 ? `\t${title}:\t${message}` : `\t\t${message}`);
}

/** How often a cause was met. */
export interface Cause {
  readonly cause: string;
  readonly count: number;
  readonly example: string;
}

/** The most frequent causes among messages: the same text but for names, numbers and quotes counts as one. */
export function topCauses(messages: ResultMessages, most = 5): Cause[] {
  const all = [
    ...(messages.velero ?? []),
    ...(messages.cluster ?? []),
    ...Object.values(messages.namespaces ?? {}).flat(),
  ];
  const groups = Map.groupBy(all, (message) => causeOf(message));
  return [...groups]
    .map(([cause, own]) => ({ cause, count: own.length, example: own[0] ?? "" }))
    .sort((a, b) => b.count - a.count)
    .slice(0, most);
}

function causeOf(message: string): string {
  const [, error] = / error: \/(.*)$/s.exec(message) ?? [];
  return (error ?? message)
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\b[a-z0-9]([a-z0-9.-]*[a-z0-9])?\/[a-z0-9.-]+\b/g, "…")
    .replace(/\d+/g, "N")
    .trim();
}
