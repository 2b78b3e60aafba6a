import { loggerTo, type Scope, systemClock } from "@jibe/base";
import type { CliWorld, Command } from "./command.ts";
import { exitCode } from "./exit-code.ts";
import type { Flags } from "./flags.ts";
import { globalFlags } from "./global-flags.ts";
import type { CliProcess } from "./main.ts";
import type { Match } from "./match-command.ts";
import { outputTo } from "./output.ts";
import { type ParsedArguments, parseArguments } from "./parse-arguments.ts";

/** Runs the command that was named, or shows its help. Words or flags that make no sense end with the exit code for that. */
export async function runCommand(
  match: Exclude<Match, { kind: "group" }>,
  { process, colors }: { readonly process: CliProcess; readonly colors: boolean },
  signal: AbortSignal,
): Promise<number> {
  const { stdin, stdout, stderr, env } = process;
  let read: CommandLine;
  try {
    read = await readCommandLine(match);
  } catch (error) {
    const { tellError } = await import("./tell-error.ts");
    tellError(error, stderr);
    return exitCode.usage;
  }
  const { command, parsed, rest } = read;
  const { colorized, help, clientLogLevel } = parsed.flags;
  const out = outputTo(stdout, stderr, { colors: colorized ?? colors });
  if (help) {
    const { printCommandHelp } = await import("./command-help.ts");
    printCommandHelp(command, globalFlags, out);
    return exitCode.ok;
  }
  const world: CliWorld = {
    out,
    env,
    clock: systemClock,
    argv: rest,
    ...(stdin.isTTY ? { ask: (question: string) => askOn(process, question, signal) } : {}),
  };
  return command.run(parsed, world, scopeFor(clientLogLevel, process, signal));
}

interface CommandLine {
  readonly command: Command<Flags>;
  readonly parsed: ParsedArguments<Flags & typeof globalFlags>;
  readonly rest: readonly string[];
}

/** Which command is meant, with which flags. Fails when the words make no sense. */
async function readCommandLine(match: Exclude<Match, { kind: "group" }>): Promise<CommandLine> {
  if (match.kind === "unknown") {
    const { unknownCommand } = await import("./find-command.ts");
    throw unknownCommand(match);
  }
  const command = await match.entry.load();
  const flags = { ...globalFlags, ...command.flags } as Flags & typeof globalFlags;
  return { command, parsed: parseArguments(match.rest, flags), rest: match.rest };
}

const levels = ["error", "warn", "info", "debug"];

function scopeFor(level: string, process: CliProcess, signal: AbortSignal): Scope {
  const shown = levels.slice(0, levels.indexOf(level) + 1);
  const log = loggerTo((line) => {
    if (!shown.includes(line.level)) return;
    const fields = Object.keys(line.fields).length > 0 ? ` ${JSON.stringify(line.fields)}` : "";
    process.stderr.write(`${line.level}: ${line.message}${fields}\n`);
  });
  return { signal, log };
}

async function askOn(process: CliProcess, question: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await reader.question(question, { signal });
  } finally {
    reader.close();
  }
}
