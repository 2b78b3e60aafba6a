import { compileGlob } from "./glob.ts";

/** Whether a namespace entry is a pattern rather than a name. */
export function isNamespacePattern(entry: string): boolean {
  return /[*?[]/.test(entry);
}

/** Why a namespace pattern is refused, in Velero's words; `undefined` when it is fine. */
export function namespacePatternError(pattern: string): string | undefined {
  if (/[|()!{},]/.test(pattern)) return "wildcard pattern contains unsupported characters: |, (, ), !, {, }, ,";
  if (pattern.includes("**")) return "wildcard pattern contains consecutive asterisks (only single * allowed)";
  const outside = pattern.replace(/\[[^\]]*\]/g, "");
  if (pattern.includes("[]")) return "wildcard pattern contains empty bracket pattern '[]'";
  if (outside.includes("[")) return "wildcard pattern contains unclosed bracket '['";
  if (outside.includes("]")) return "wildcard pattern contains unmatched closing bracket ']'";
  return undefined;
}

/** The entries with each pattern replaced by the existing names it matches; plain names stay, also those that do not exist. */
export function expandNamespacePatterns(entries: readonly string[], existing: readonly string[]): string[] {
  const expanded = entries.flatMap((entry) => {
    if (!isNamespacePattern(entry)) return [entry];
    const matches = compileGlob(entry);
    return matches ? existing.filter(matches) : [];
  });
  return [...new Set(expanded)].sort();
}
