import type { Restore } from "../../api/resources.ts";

/** The namespaces a restore writes to; nothing when it may be any. */
function targetsOf({ spec }: Restore): ReadonlySet<string> | undefined {
  const included = spec.includedNamespaces ?? [];
  if (included.length === 0 || included.some((name) => /[*?[\]]/.test(name))) return undefined;
  return new Set(included.map((name) => spec.namespaceMapping?.[name] ?? name));
}

/** Whether a restore may start beside those that run: there is room, and no namespace that one of them may write to. */
export function mayStartRestore(restore: Restore, running: readonly Restore[], concurrentRestores: number): boolean {
  if (running.length >= concurrentRestores) return false;
  const own = targetsOf(restore);
  return running.every((other) => {
    const theirs = targetsOf(other);
    return own !== undefined && theirs !== undefined && own.isDisjointFrom(theirs);
  });
}
