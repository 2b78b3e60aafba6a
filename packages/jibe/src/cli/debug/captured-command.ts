import type { Scope } from "@jibe/base";
import type { CliWorld, Command } from "../command.ts";
import type { Flags } from "../flags.ts";
import { globalFlags } from "../global-flags.ts";
import type { Output } from "../output.ts";
import { parseArguments } from "../parse-arguments.ts";

/** What a command prints, as text without colours. */
export async function captureCommand<F extends Flags>(
  command: Command<F>,
  argv: readonly string[],
  world: CliWorld,
  scope: Scope,
): Promise<string> {
  let text = "";
  const out: Output = {
    line: (line = "") => {
      text += `${line}\n`;
    },
    text: (more) => {
      text += more;
    },
    note: (line) => {
      text += `${line}\n`;
    },
    style: (_, plain) => plain,
  };
  const parsed = parseArguments(argv, { ...globalFlags, ...command.flags });
  await command.run(parsed as unknown as Parameters<Command<F>["run"]>[0], { ...world, out }, scope);
  return text;
}
