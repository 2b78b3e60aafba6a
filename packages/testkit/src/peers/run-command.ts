import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import type { Scope } from "@jibe/base";
import { inheritedEnv } from "./environment.ts";

export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

export interface CommandOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Runs a program to its end. A failing program is a result, not an error; being stopped ends it. */
export async function runCommand(
  program: string,
  args: readonly string[],
  { stdin, env, cwd }: CommandOptions,
  scope: Scope,
): Promise<CommandResult> {
  scope.signal.throwIfAborted();
  const child = spawn(program, args, { cwd, env: inheritedEnv(env), signal: scope.signal, killSignal: "SIGKILL" });
  const failed = new Promise<never>((_, reject) => child.once("error", reject));
  const closed = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? 1)));
  child.stdin.on("error", () => {}); // a program need not read its input
  child.stdin.end(stdin ?? "");
  try {
    const work = Promise.all([text(child.stdout), text(child.stderr), closed]);
    const [stdout, stderr, exitCode] = await Promise.race([work, failed]);
    return { stdout, stderr, exitCode };
  } catch (error) {
    scope.signal.throwIfAborted();
    throw error;
  }
}
