import type { CommandEntry } from "./command-table.ts";

/** What the leading words of a command line name. */
export type Match =
  | { readonly kind: "command"; readonly entry: CommandEntry; readonly rest: readonly string[] }
  | { readonly kind: "group"; readonly words: readonly string[]; readonly entries: readonly CommandEntry[] }
  /** `entries` are those that the words before `words[at]` lead to. */
  | {
      readonly kind: "unknown";
      readonly words: readonly string[];
      readonly at: number;
      readonly entries: readonly CommandEntry[];
    };

/** Global flags whose value is the next word; they may stand before the command. By name alone: help loads no flags. */
export const globalValueFlags: readonly string[] = [
  "--kubeconfig",
  "--kubecontext",
  "--namespace",
  "-n",
  "--features",
  "--client-log-level",
];

/** Finds what the leading words name; flags may stand between them. Help is answered with this alone. */
export function matchCommand(argv: readonly string[], table: readonly CommandEntry[]): Match {
  const typed = argv
    .map((word, index) => ({ word, index }))
    .filter(({ word, index }) => !word.startsWith("-") && !globalValueFlags.includes(argv[index - 1] ?? ""));
  const words = typed.map(({ word }) => word);
  let entries = table;
  for (let depth = 1; depth <= words.length; depth++) {
    const said = words.slice(0, depth);
    const next = entries.filter((entry) => formsOf(entry).some((form) => beginsWith(form, said)));
    if (next.length === 0) return { kind: "unknown", words, at: depth - 1, entries };
    entries = next;
    const entry = entries.find((one) => formsOf(one).some((form) => form.length === depth && beginsWith(form, said)));
    if (entry) {
      const used = new Set(typed.slice(0, depth).map(({ index }) => index));
      return { kind: "command", entry, rest: argv.filter((_, index) => !used.has(index)) };
    }
  }
  return { kind: "group", words, entries };
}

/** The ways to say a command: for each, word by word, the spellings that are accepted. */
export function formsOf({ path, verbForm }: CommandEntry): string[][][] {
  return [path, ...(verbForm ? [verbForm] : [])].map((form) => form.split(" ").map((word) => word.split("|")));
}

/** Whether a form of a command starts with these words. */
export function beginsWith(form: readonly string[][], words: readonly string[]): boolean {
  return words.every((word, index) => form[index]?.includes(word));
}
