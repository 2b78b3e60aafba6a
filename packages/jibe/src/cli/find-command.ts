import { AppError } from "@jibe/base";
import { closest } from "./closest.ts";
import type { CommandEntry } from "./command-table.ts";
import { flagName } from "./flags.ts";
import { globalFlags } from "./global-flags.ts";

export type Found =
  | { readonly kind: "command"; readonly entry: CommandEntry; readonly rest: readonly string[] }
  | { readonly kind: "group"; readonly words: readonly string[]; readonly entries: readonly CommandEntry[] };

/** Global flags whose value is the next word; they may stand before the command. */
const valueFlags: ReadonlySet<string> = new Set(
  Object.entries(globalFlags)
    .filter(([, { bare }]: [string, { bare?: string }]) => bare === undefined)
    .flatMap(([key, { short }]: [string, { short?: string }]) => [
      `--${flagName(key)}`,
      ...(short ? [`-${short}`] : []),
    ]),
);

const wordsOf = (path: string): string[][] => path.split(" ").map((word) => word.split("|"));
const formsOf = ({ path, verbForm }: CommandEntry): string[][][] => [
  wordsOf(path),
  ...(verbForm ? [wordsOf(verbForm)] : []),
];

/** Finds the command that the leading words name; flags may stand between them. */
export function findCommand(argv: readonly string[], table: readonly CommandEntry[]): Found {
  const words = argv
    .map((word, index) => ({ word, index }))
    .filter(({ word, index }) => !word.startsWith("-") && !valueFlags.has(argv[index - 1] ?? ""));
  let entries = table;
  let depth = 0;
  for (; depth < words.length; depth++) {
    const word = words[depth]?.word ?? "";
    const next = entries.filter((entry) => formsOf(entry).some((form) => matches(form, words, depth, word)));
    if (next.length === 0) break;
    entries = next;
    const whole = entries.find((entry) =>
      formsOf(entry).some((form) => form.length === depth + 1 && matches(form, words, depth, word)),
    );
    if (whole) {
      const used = new Set(words.slice(0, depth + 1).map(({ index }) => index));
      return { kind: "command", entry: whole, rest: argv.filter((_, index) => !used.has(index)) };
    }
  }
  if (depth < words.length)
    throw unknownCommand(
      words.map(({ word }) => word),
      depth,
      entries,
    );
  return { kind: "group", words: words.map(({ word }) => word), entries };
}

function matches(form: string[][], words: readonly { word: string }[], depth: number, word: string): boolean {
  return (
    (form[depth]?.includes(word) ?? false) &&
    words.slice(0, depth).every(({ word: earlier }, index) => form[index]?.includes(earlier))
  );
}

function unknownCommand(words: readonly string[], depth: number, entries: readonly CommandEntry[]): AppError {
  const known = new Set(entries.flatMap((entry) => formsOf(entry).flatMap((form) => form[depth]?.[0] ?? [])));
  const guess = closest(words[depth] ?? "", [...known]);
  const said = ["jibe", ...words.slice(0, depth)].join(" ");
  const hint = guess ? `did you mean "${guess}"?` : `run "${said} --help" to see what there is`;
  return new AppError("InvalidArgument", `unknown command ${JSON.stringify(words[depth])} for "${said}": ${hint}`);
}
