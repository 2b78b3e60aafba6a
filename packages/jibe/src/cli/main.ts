import { commandTable } from "./command-table.ts";
import { exitCode } from "./exit-code.ts";
import { printGroupHelp } from "./group-help.ts";
import { matchCommand } from "./match-command.ts";
import { outputTo } from "./output.ts";

// SIGHUP comes when the terminal is closed. Node does not keep it ignored for nohup's sake, so that none is disappointed.
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type StopSignal = (typeof stopSignals)[number];

/** The part of the process that the command line uses. */
export interface CliProcess {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  on(event: StopSignal, listener: () => void): unknown;
  off(event: StopSignal, listener: () => void): unknown;
}

const interrupted = new Error("interrupted");
const readerGone = new Error("nobody reads the output any more");

/**
 * Runs one command line and gives its exit code. Ctrl-C or a closed terminal stops the command, which then cleans up after itself.
 * What only a command needs is loaded when there is one: the list of commands is shown by the few files imported here.
 */
export async function main(process: CliProcess): Promise<number> {
  const stopping = new AbortController();
  const stop = () => stopping.abort(interrupted);
  for (const signal of stopSignals) process.on(signal, stop);
  // Without a listener a closed pipe ends the process with a stack trace; it stays on for lines that are still on their way.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => stopping.abort(readerGone));
  try {
    return await runCommandLine(process.argv.slice(2), process, stopping.signal);
  } catch (error) {
    if (stopping.signal.aborted)
      return stopping.signal.reason === readerGone ? exitCode.readerGone : exitCode.interrupted;
    const { tellError } = await import("./tell-error.ts");
    tellError(error, process.stderr);
    return exitCode.error;
  } finally {
    for (const signal of stopSignals) process.off(signal, stop);
  }
}

async function runCommandLine(argv: readonly string[], process: CliProcess, signal: AbortSignal): Promise<number> {
  const colors = process.stdout.isTTY === true && !process.env["NO_COLOR"] && process.env["TERM"] !== "dumb";
  const match = matchCommand(argv, commandTable);
  if (match.kind === "group") {
    printGroupHelp(match.words, match.entries, outputTo(process.stdout, process.stderr, { colors }));
    return exitCode.ok;
  }
  const { runCommand } = await import("./run-command.ts");
  return runCommand(match, { process, colors }, signal);
}
