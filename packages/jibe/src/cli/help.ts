import { formatGoDuration } from "@jibe/base";
import type { Command } from "./command.ts";
import { type CommandEntry, groupSummaries } from "./command-table.ts";
import { type Flag, type Flags, flagName } from "./flags.ts";
import type { Output } from "./output.ts";
import { printWrapped } from "./print/wrap-text.ts";

/** Help for a group of commands, or for everything when no word was given. */
export function printGroupHelp(words: readonly string[], entries: readonly CommandEntry[], out: Output): void {
  const depth = words.length;
  const shown = new Map<string, string>();
  for (const { path, verbForm, summary, hidden } of entries) {
    if (hidden) continue;
    for (const form of [path, ...(verbForm ? [verbForm] : [])]) {
      const names = form.split(" ").map((word) => word.split("|"));
      if (!words.every((word, index) => names[index]?.includes(word))) continue;
      const next = names[depth]?.[0];
      if (next === undefined) continue;
      const isLeaf = names.length === depth + 1;
      if (!shown.has(next)) shown.set(next, isLeaf ? summary : (groupSummaries[next] ?? summary));
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

/** Help for one command. */
export function printCommandHelp(command: Command<Flags>, globals: Flags, out: Output): void {
  printWrapped(out, command.description ?? command.summary);
  out.line();
  out.line(`Usage:\n  jibe ${command.usage} [flags]`);
  if (command.examples?.length)
    out.line(`\nExamples:\n${command.examples.map((example) => `  ${example}`).join("\n")}`);
  printFlags("Flags", command.flags, out);
  printFlags("Global flags", globals, out);
}

function printFlags(title: string, flags: Flags, out: Output): void {
  const rows = Object.entries(flags)
    .filter(([, { hidden }]) => !hidden)
    .map(([key, flag]) => [heading(key, flag), describe(flag)] as const);
  if (rows.length === 0) return;
  const width = Math.min(Math.max(...rows.map(([left]) => left.length)) + 2, 48);
  out.line(`\n${title}:`);
  for (const [left, right] of rows) {
    if (left.length + 2 > width) {
      out.line(left);
      printWrapped(out, " ".repeat(width) + right, { indent: width });
    } else printWrapped(out, left.padEnd(width) + right, { indent: width });
  }
}

function heading(key: string, { short, placeholder }: Flag<unknown>): string {
  const name = `--${flagName(key)}${placeholder ? ` ${placeholder}` : ""}`;
  return `  ${short ? `-${short}, ` : "    "}${name}`;
}

function describe(flag: Flag<unknown>): string {
  const initial = defaultText(flag);
  return initial === "" ? flag.description : `${flag.description} (default ${initial})`;
}

/** A flag's default as a user would type it; empty when there is none worth telling. */
export function defaultText({ initial, placeholder }: Flag<unknown>): string {
  const shown = placeholder === "duration" && typeof initial === "number" ? formatGoDuration(initial) : initial;
  const isEmpty = shown === undefined || shown === "" || shown === false || shown === 0 || shown === "0s";
  const isEmptyContainer = typeof shown === "object" && shown !== null && Object.keys(shown).length === 0;
  return isEmpty || isEmptyContainer ? "" : String(shown);
}
