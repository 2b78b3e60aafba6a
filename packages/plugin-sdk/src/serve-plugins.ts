import { accessSync, constants } from "node:fs";
import { AppError, type Clock, messageOf, type Scope, systemClock } from "@jibe/base";
import { StdioSource, serveGoPlugin } from "@jibe/go-plugin";
import type { Plugin } from "./plugin.ts";
import { logLevelFrom, pluginLogger } from "./serve/plugin-logger.ts";
import { pluginServices } from "./serve/plugin-services.ts";
import { ServedPlugins } from "./serve/served-plugins.ts";
import { statusFromPluginError } from "./wire/grpc-error.ts";
import { extraKindsVariable, veleroHandshake } from "./wire/handshake.ts";

export interface ServeOptions {
  /**
   * The executable that hosts shall run: the script that was started, unless given. A wrapper that starts this program
   * must name itself here.
   */
  readonly command?: string;
}

/**
 * Serves plugins to the host that started this program, until that host ends it; then ends the process. Call it once, at
 * the end of the program. Names are `<DNS subdomain>/<name>`.
 *
 * What the program prints goes to the host's debug log. Use `scope.log` for what a user shall read.
 */
export async function servePlugins(
  plugins: Readonly<Record<string, Plugin>>,
  options: ServeOptions = {},
): Promise<void> {
  const ending = new AbortController();
  const log = pluginLogger((text) => process.stderr.write(text), logLevelFrom(process.argv.slice(2)));
  process.on("SIGINT", () => {}); // Ctrl-C at the server's terminal reaches us too; the server decides about our end
  process.on("SIGTERM", () => ending.abort(new Error("terminated")));
  process.stderr.on("error", () => {}); // the host died; the connection tells us
  try {
    const command = options.command ?? startedScript(process.argv[1]);
    await serve(plugins, { command, clock: systemClock }, { signal: ending.signal, log });
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  }
}

async function serve(
  plugins: Readonly<Record<string, Plugin>>,
  { command, clock }: { readonly command: string; readonly clock: Clock },
  scope: Scope,
): Promise<void> {
  const { env } = process;
  const hostKinds = (env[extraKindsVariable] ?? "").split(",").map((kind) => kind.trim());
  const served = new ServedPlugins(plugins, { hostKinds, log: scope.log, clock });
  const writeHandshake = process.stdout.write.bind(process.stdout);
  const stdio = new StdioSource();
  process.stdout.write = (chunk: string | Uint8Array): boolean => {
    // Nothing but the handshake may be on standard output: hosts stop reading it, and a full pipe would block us.
    stdio.write("stdout", Buffer.from(chunk));
    return process.stderr.write(chunk);
  };
  await serveGoPlugin(
    {
      handshake: veleroHandshake,
      services: pluginServices(served, command),
      env,
      writeHandshake: (line) => void writeHandshake(line),
      stdio,
      statusOf: statusFromPluginError,
      clock,
    },
    scope,
  );
}

/** Hosts execute this path later, so it must be a program, not an argument of `node`. */
function startedScript(path = ""): string {
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    throw new AppError(
      "InvalidArgument",
      `${path} is not executable: give it a first line "#!/usr/bin/env node" and chmod +x, or name the program that starts it in servePlugins(…, { command })`,
    );
  }
}

/** The environment this process was started with, for what starts plugins in turn. */
export function ownEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
