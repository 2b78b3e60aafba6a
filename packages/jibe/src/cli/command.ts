import type { Clock, Scope } from "@jibe/base";
import type { ExitCode } from "./exit-code.ts";
import type { Flags, FlagValues } from "./flags.ts";
import type { globalFlags } from "./global-flags.ts";
import type { Output } from "./output.ts";

/** What a command is handed instead of reaching for the process. */
export interface CliWorld {
  readonly out: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** The words after the command's own, flags included, as they were typed. */
  readonly argv: readonly string[];
  /** Reads answers to questions; absent when standard input is no terminal. */
  readonly ask?: (question: string) => Promise<string>;
}

export interface CommandInput<F extends Flags> {
  readonly args: readonly string[];
  /** The command's own flags and the global ones. */
  readonly flags: FlagValues<F> & FlagValues<typeof globalFlags>;
  /** The keys of the flags that were typed. */
  readonly given: ReadonlySet<string>;
}

/** One command: declares its flags, is handed its world, returns its exit code. */
export interface Command<F extends Flags = Flags> {
  /** As help shows it: `backup create NAME`. Upper-case words are arguments, `[NAME…]` optional ones. */
  readonly usage: string;
  readonly summary: string;
  readonly description?: string;
  readonly examples?: readonly string[];
  readonly flags: F;
  run(input: CommandInput<F>, world: CliWorld, scope: Scope): Promise<ExitCode>;
}

/** Keeps the flags' types for `run`. */
export function command<F extends Flags>(definition: Command<F>): Command<F> {
  return definition;
}
