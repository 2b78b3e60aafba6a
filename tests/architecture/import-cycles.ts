import { resolveRelative, type SourceFile } from "./source-files.ts";

/** Each ring of files that import one another when the program runs (types apart), as the paths along it. */
export function importCycles(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const edges = new Map(files.map((file) => [file.path, targetsOf(file)]));
  const state = new Map<string, "open" | "done">();
  const trail: string[] = [];
  const cycles: string[][] = [];
  const visit = (path: string) => {
    if (state.get(path) === "open") cycles.push([...trail.slice(trail.indexOf(path)), path]);
    if (state.has(path)) return;
    state.set(path, "open");
    trail.push(path);
    for (const target of edges.get(path) ?? []) visit(target);
    trail.pop();
    state.set(path, "done");
  };
  for (const path of edges.keys()) visit(path);
  return cycles;
}

function targetsOf(file: SourceFile): readonly string[] {
  return file.imports
    .filter(({ specifier, isTypeOnly, isLazy }) => specifier.startsWith(".") && !isTypeOnly && !isLazy)
    .map(({ specifier }) => resolveRelative(file.path, specifier));
}
