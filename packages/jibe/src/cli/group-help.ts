import { type CommandEntry, groupSummaries } from "./command-table.ts";
import { beginsWith, formsOf } from "./match-command.ts";
import type { Output } from "./output.ts";
import { printWrapped } from "./print/wrap-text.ts";

/** Help for a group of commands, or for everything when no word was given. */
export function printGroupHelp(words: readonly string[], entries: readonly CommandEntry[], out: Output): void {
  const depth = words.length;
  const shown = new Map<string, string>();
  for (const entry of entries.filter(({ hidden }) => !hidden)) {
    for (const form of formsOf(entry)) {
      const next = beginsWith(form, words) ? form[depth]?.[0] : undefined;
      if (next === undefined || shown.has(next)) continue;
      const isLeaf = form.length === depth + 1;
      shown.set(next, isLeaf ? entry.summary : (groupSummaries[next] ?? entry.summary));
    }
  }
  const said = ["jibe", ...words].join(" ");
  if (depth === 0) out.line("Back up and restore Kubernetes clusters.\n");
  out.line(`Usage:\n  ${said} COMMAND [flags]\n`);
  out.line("Commands:");
  const width = Math.max(...[...shown.keys()].map((name) => name.length), 0) + 2;
  for (const [name, summary] of [...shown].sort(([a], [b]) => (a < b ? -1 : 1))) {
    printWrapped(out, `  ${name.padEnd(width)}${summary}`, { indent: width + 2 });
  }
  out.line(`\nRun "${said} COMMAND --help" for the flags of a command.`);
}
