import { formatGoDuration } from "@jibe/base";
import type { Command } from "./command.ts";
import { type Flag, type Flags, flagName } from "./flags.ts";
import type { Output } from "./output.ts";
import { printWrapped } from "./print/wrap-text.ts";

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
