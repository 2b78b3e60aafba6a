import type { Command } from "../../packages/jibe/src/cli/command.ts";
import type { CommandEntry } from "../../packages/jibe/src/cli/command-table.ts";
import type { Flags } from "../../packages/jibe/src/cli/flags.ts";
import { flagTable } from "./flag-table.ts";

/** What one command does, how it is said, and its flags. */
export function commandSection({ path, verbForm }: CommandEntry, command: Command<Flags>): string {
  const name = path
    .split(" ")
    .map((word) => word.split("|")[0])
    .join(" ");
  const also = verbForm ? ` Also: \`jibe ${verbForm.replaceAll(/\|\S+/g, "")}\`.` : "";
  const text = command.description ?? `${command.summary}.`;
  const examples = command.examples?.length ? [command.examples.map((example) => `- \`${example}\``).join("\n")] : [];
  return [`### ${name}`, `\`jibe ${command.usage}\``, `${text}${also}`, ...examples, flagTable(command.flags)].join(
    "\n\n",
  );
}
