import { loggerTo, messageOf, type Scope, systemClock } from "@jibe/base";
import type { CliWorld, Command } from "./command.ts";
import { commandTable } from "./command-table.ts";
import { exitCode } from "./exit-code.ts";
import { type Found, findCommand } from "./find-command.ts";
import type { Flags } from "./flags.ts";
import { globalFlags } from "./global-flags.ts";
import { printCommandHelp, printGroupHelp } from "./help.ts";
import { outputTo } from "./output.ts";
import { type ParsedArguments, parseArguments } from "./parse-arguments.ts";
import { wrapText } from "./print/wrap-text.ts";

/** The part of the process that the command line uses. */
export interface CliProcess {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  on(event: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  off(event: "SIGINT" | "SIGTERM", listener: () => void): unknown;
}

const interrupted = new Error("interrupted");
const readerGone = new Error("nobody reads the output any more");

/** Runs one command line and gives its exit code. Ctrl-C stops the command, which then cleans up after itself. */
export async function main(process: CliProcess): Promise<number> {
  const stopping = new AbortController();
  const stop = () => stopping.abort(interrupted);
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  // Without a listener a closed pipe ends the process with a stack trace; it stays on for lines that are still on their way.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => stopping.abort(readerGone));
  try {
    return await runCommandLine(process.argv.slice(2), process, stopping.signal);
  } catch (error) {
    if (stopping.signal.aborted)
      return stopping.signal.reason === readerGone ? exitCode.readerGone : exitCode.interrupted;
    tellError(error, process);
    return exitCode.error;
  } finally {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  }
}

function tellError(error: unknown, { stderr }: CliProcess): void {
  const text = `An error occurred: ${messageOf(error)}`;
  const wrapped = (line: string) => wrapText(line, { columns: stderr.columns, indent: 0 }).join("\n");
  stderr.write(`${stderr.isTTY ? text.split("\n").map(wrapped).join("\n") : text}\n`);
}

async function runCommandLine(argv: readonly string[], process: CliProcess, signal: AbortSignal): Promise<number> {
  const colors = process.stdout.isTTY === true && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";
  const out = outputTo(process.stdout, process.stderr, { colors });
  let read: CommandLine;
  try {
    read = await readCommandLine(argv);
  } catch (error) {
    tellError(error, process);
    return exitCode.usage;
  }
  if (read.kind === "group") {
    printGroupHelp(read.words, read.entries, out);
    return exitCode.ok;
  }
  const { command, parsed } = read;
  if (parsed.flags.help) {
    printCommandHelp(command, globalFlags, out);
    return exitCode.ok;
  }
  const colorized = parsed.flags.colorized;
  const world: CliWorld = {
    out: typeof colorized === "boolean" ? outputTo(process.stdout, process.stderr, { colors: colorized }) : out,
    env: process.env,
    clock: systemClock,
    argv: read.rest,
    ...(process.stdin.isTTY ? { ask: (question: string) => askOn(process, question, signal) } : {}),
  };
  return command.run(parsed, world, scopeFor(parsed.flags.clientLogLevel, process, signal));
}

type CommandLine =
  | Extract<Found, { kind: "group" }>
  | {
      readonly kind: "command";
      readonly command: Command<Flags>;
      readonly parsed: ParsedArguments<Flags & typeof globalFlags>;
      readonly rest: readonly string[];
    };

/** Which command is meant, with which flags. Fails when the words make no sense. */
async function readCommandLine(argv: readonly string[]): Promise<CommandLine> {
  const found = findCommand(argv, commandTable);
  if (found.kind === "group") return found;
  const command = await found.entry.load();
  const flags = { ...globalFlags, ...command.flags } as Flags & typeof globalFlags;
  return { kind: "command", command, parsed: parseArguments(found.rest, flags), rest: found.rest };
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
