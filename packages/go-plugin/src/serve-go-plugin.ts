import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { AppError, type Clock, type Scope, systemClock, withDeadline } from "@jibe/base";
import type { GrpcBroker } from "./broker.ts";
import type { GrpcStatus } from "./grpc-error.ts";
import type { GrpcService } from "./grpc-service.ts";
import { formatHandshakeLine, type Handshake } from "./handshake.ts";
import { hostServices } from "./host-services.ts";
import type { StdioSource } from "./stdio-source.ts";

export interface GoPluginServer {
  readonly handshake: Handshake;
  readonly services: readonly GrpcService[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes the first line where the host reads it. */
  readonly writeHandshake: (line: string) => void;
  /** What the plugin prints later, to be sent to the host. */
  readonly stdio?: StdioSource;
  /** For further connections between host and plugin. */
  readonly broker?: GrpcBroker;
  readonly statusOf?: (error: unknown) => GrpcStatus;
  /** How long running calls may take to notice that the plugin ends; 1 s unless given. */
  readonly graceMs?: number;
  readonly clock?: Clock;
}

/**
 * Serves as a plugin until the host asks for the end, the host's connection is lost, or the scope is stopped. Fails at once
 * when it was not started by a host.
 */
export async function serveGoPlugin(plugin: GoPluginServer, scope: Scope): Promise<void> {
  const { handshake, env, clock = systemClock, graceMs = 1000 } = plugin;
  if (env[handshake.cookieKey] !== handshake.cookieValue) {
    throw new AppError(
      "InvalidArgument",
      "this program is a plugin: it is started by a server that finds it in its plugin folder, not by hand",
    );
  }
  checkVersion(handshake, env);
  const ending = new AbortController();
  const running = AbortSignal.any([scope.signal, ending.signal]);
  const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
  const own = hostServices({
    stop: (why) => ending.abort(new Error(why)),
    clock,
    stdio: plugin.stdio,
    broker: plugin.broker,
  });
  for (const service of [...own, ...plugin.services]) {
    service.addTo(server, { signal: running, ...(plugin.statusOf ? { statusOf: plugin.statusOf } : {}) });
  }
  const address = join(env["PLUGIN_UNIX_SOCKET_DIR"] || tmpdir(), `plugin${randomBytes(6).toString("hex")}`);
  try {
    await listen(server, address);
    plugin.writeHandshake(formatHandshakeLine({ network: "unix", address }, handshake));
    if (!running.aborted) await once(running, "abort");
    await drain(server, { graceMs, clock, scope });
  } finally {
    server.forceShutdown();
    await rm(address, { force: true });
  }
}

function checkVersion({ protocolVersion }: Handshake, env: GoPluginServer["env"]): void {
  const offered = env["PLUGIN_PROTOCOL_VERSIONS"];
  if (!offered || offered.split(",").some((version) => Number(version) === protocolVersion)) return;
  throw new AppError("Unsupported", `the host speaks plugin protocol ${offered}, this plugin ${protocolVersion}`);
}

function listen(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.bindAsync(`unix:${address}`, ServerCredentials.createInsecure(), (error) => {
      if (error) reject(new AppError("Unavailable", `cannot listen on ${address}`, { cause: error }));
      else resolve();
    });
  });
}

async function drain(server: Server, limit: { graceMs: number; clock: Clock; scope: Scope }): Promise<void> {
  const unstoppable: Scope = { signal: new AbortController().signal, log: limit.scope.log };
  await withDeadline({ ms: limit.graceMs, clock: limit.clock, what: "ending calls" }, unstoppable, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    server.tryShutdown(() => resolve());
    return promise;
  }).catch(() => {}); // what has not ended by now is cut
}
