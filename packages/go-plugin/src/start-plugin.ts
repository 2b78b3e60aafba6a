import { access, constants, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError, type Clock, type LogLine, messageOf, type Scope, systemClock, withDeadline } from "@jibe/base";
import { connectGrpc, type ErrorTranslator } from "./grpc-channel.ts";
import { type Handshake, handshakeEnvironment, type PluginAddress, parseHandshakeLine } from "./handshake.ts";
import { PluginOutput } from "./plugin-output.ts";
import { PluginProcess } from "./plugin-process.ts";
import { describeExit, type SpawnedProcess, spawnPlugin } from "./spawn-plugin.ts";

export interface PluginCommand {
  /** Path of the executable. */
  readonly command: string;
  readonly args?: readonly string[];
  /** The whole environment, to which the handshake's variables are added. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly handshake: Handshake;
  /** From the start of the process to its first line; 60 s unless given. */
  readonly startTimeoutMs?: number;
  /** Receives what the plugin logs. */
  readonly onLog?: (line: LogLine) => void;
  /** How a failed call's status becomes an error. */
  readonly errorFrom?: ErrorTranslator;
  readonly clock?: Clock;
}

/**
 * Starts a plugin and connects to it. It ends when disposed, and also when this process dies. What a plugin that does not
 * come up had to say is in the error.
 */
export async function startPlugin(spec: PluginCommand, scope: Scope): Promise<PluginProcess> {
  const { command, args = [], handshake, startTimeoutMs = 60_000, clock = systemClock } = spec;
  await checkExecutable(command);
  const socketDir = await mkdtemp(join(tmpdir(), "jp-"));
  const env = { ...spec.env, ...handshakeEnvironment(handshake), PLUGIN_UNIX_SOCKET_DIR: socketDir };
  let child: SpawnedProcess | undefined;
  try {
    child = spawnPlugin({ command, args, env, socketDir });
    const output = new PluginOutput(child, spec.onLog ?? (() => {}));
    const address = await firstAddress({ child, output, handshake, startTimeoutMs, clock }, scope);
    const channel = connectGrpc(address, spec.errorFrom);
    return new PluginProcess({ command, child, output, channel, socketDir, clock });
  } catch (error) {
    child?.kill();
    await child?.exited.catch(() => {}); // the first failure is the one to report
    await rm(socketDir, { recursive: true, force: true });
    scope.signal.throwIfAborted();
    throw new AppError(error instanceof AppError ? error.code : "Unavailable", `cannot start plugin ${command}`, {
      cause: error,
    });
  }
}

async function checkExecutable(command: string): Promise<void> {
  try {
    await access(command, constants.X_OK);
  } catch (error) {
    throw new AppError("NotFound", `cannot start plugin ${command}: it is missing or not executable`, {
      fields: { error: messageOf(error) },
    });
  }
}

async function firstAddress(
  from: {
    readonly child: SpawnedProcess;
    readonly output: PluginOutput;
    readonly handshake: Handshake;
    readonly startTimeoutMs: number;
    readonly clock: Clock;
  },
  scope: Scope,
): Promise<PluginAddress> {
  const { child, output, handshake, startTimeoutMs, clock } = from;
  const ended = child.exited.then((exit) => {
    throw new AppError("Unavailable", `it ${describeExit(exit)} before it said where it listens${output.quote()}`);
  });
  ended.catch(() => {}); // it may also end long after the race below was won
  const line = await withDeadline({ ms: startTimeoutMs, clock, what: "waiting for its first line" }, scope, () =>
    Promise.race([output.firstLine, ended]),
  );
  try {
    return parseHandshakeLine(line, handshake);
  } catch (error) {
    // A program that is no plugin often says why on standard error and ends; give it the chance to be quoted.
    await withDeadline({ ms: 500, clock, what: "waiting for its end" }, scope, () => child.exited).catch(() => {});
    scope.signal.throwIfAborted();
    throw new AppError("InvalidArgument", `${messageOf(error)}${output.quote()}`);
  }
}
