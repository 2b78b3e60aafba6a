import { AppError } from "@jibe/base";
import { closest } from "./closest.ts";
import type { CommandEntry } from "./command-table.ts";
import { formsOf, type Match, matchCommand } from "./match-command.ts";

export type Found = Exclude<Match, { kind: "unknown" }>;

/** Finds the command or group that the leading words name. Fails with a guess when there is none. */
export function findCommand(argv: readonly string[], table: readonly CommandEntry[]): Found {
  const match = matchCommand(argv, table);
  if (match.kind === "unknown") throw unknownCommand(match);
  return match;
}

/** What to tell about a word that names nothing. */
export function unknownCommand({ words, at, entries }: Extract<Match, { kind: "unknown" }>): AppError {
  const known = new Set(entries.flatMap((entry) => formsOf(entry).flatMap((form) => form[at]?.[0] ?? [])));
  const guess = closest(words[at] ?? "", [...known]);
  const said = ["jibe", ...words.slice(0, at)].join(" ");
  const hint = guess ? `did you mean "${guess}"?` : `run "${said} --help" to see what there is`;
  return new AppError("InvalidArgument", `unknown command ${JSON.stringify(words[at])} for "${said}": ${hint}`);
}
