import type { Clock } from "@jibe/base";
import { runCommand } from "./shell-commands.ts";
import { runScript } from "./shell-script.ts";

/** A command that a client runs in a container. */
export interface ExecRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
  /** What the client types; it ends when the client closes it, and is empty when none was asked for. */
  readonly stdin: AsyncIterable<Uint8Array>;
}

export interface ExecOutput {
  stdout(chunk: Uint8Array | string): void;
  stderr(chunk: Uint8Array | string): void;
}

/** Runs a command and resolves with its exit code. Being stopped rejects with the signal's reason. */
export type ExecHandler = (
  request: ExecRequest,
  output: ExecOutput,
  scope: { readonly signal: AbortSignal },
) => Promise<number>;

const shells = new Set(["sh", "/bin/sh", "bash", "/bin/bash", "ash", "/bin/ash"]);

/**
 * Runs a few commands as a container would, on no real machine: `echo`, `printf`, `cat`, `true`, `false`, `sleep`,
 * `exit`, `env`, `hostname`, `pwd`, `test`, and `sh -c` with `;`, `&&`, `||`, quotes and redirections to nowhere.
 */
export function simulatedExec(clock: Clock): ExecHandler {
  return async (request, output, scope) => {
    const [program = "", ...args] = request.command;
    const world = { request, clock, output, scope };
    if (!shells.has(program)) return runCommand(request.command, world);
    const scriptAt = args.findIndex((arg) => /^-[a-z]*c$/.test(arg)) + 1;
    if (scriptAt > 0) return runScript(args[scriptAt] ?? "", world);
    return runScript(await textOf(request.stdin), world);
  };
}

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
