import { rm } from "node:fs/promises";
import { AppError, type Clock, type Scope, silentLogger, withDeadline } from "@jibe/base";
import { GrpcBroker } from "./broker.ts";
import { followStdio } from "./follow-stdio.ts";
import { Health } from "./gen/grpc/health/v1/health_pb.ts";
import { GRPCBroker, GRPCController } from "./gen/plugin/plugin_pb.ts";
import type { GrpcChannel } from "./grpc-channel.ts";
import type { PluginOutput } from "./plugin-output.ts";
import { describeExit, type ExitInfo, type SpawnedProcess } from "./spawn-plugin.ts";

const shutdownMs = 2000;
const serving = 1;

/** A running plugin. Disposing it asks it to end, and kills it when it does not within two seconds. */
export class PluginProcess implements AsyncDisposable {
  readonly command: string;
  readonly pid: number;
  readonly channel: GrpcChannel;
  /** Settles once, when the process is gone. */
  readonly exited: Promise<ExitInfo>;
  readonly #child: SpawnedProcess;
  readonly #output: PluginOutput;
  readonly #clock: Clock;
  readonly #socketDir: string;
  readonly #closing = new AbortController();
  #broker: GrpcBroker | undefined;
  #exit: ExitInfo | undefined;
  #disposed: Promise<void> | undefined;

  constructor(parts: {
    readonly command: string;
    readonly child: SpawnedProcess;
    readonly output: PluginOutput;
    readonly channel: GrpcChannel;
    readonly socketDir: string;
    readonly clock: Clock;
  }) {
    this.command = parts.command;
    this.pid = parts.child.pid;
    this.channel = parts.channel;
    this.#child = parts.child;
    this.#output = parts.output;
    this.#clock = parts.clock;
    this.#socketDir = parts.socketDir;
    this.exited = parts.child.exited.then((exit) => {
      this.#exit = exit;
      return exit;
    });
    followStdio(parts.channel, parts.output, { signal: this.#closing.signal });
  }

  /** Further connections with the plugin; the broker's stream is opened when first asked for. */
  get broker(): GrpcBroker {
    if (!this.#broker) {
      const broker = new GrpcBroker();
      const scope = { signal: this.#closing.signal };
      const incoming = this.channel.duplex(GRPCBroker.method.startStream, broker.announcements(scope), scope);
      broker.receive(incoming).catch(() => {}); // ends with the plugin, or at once if it has no broker
      this.#broker = broker;
    }
    return this.#broker;
  }

  /** Where sockets between host and plugin are made; removed with the plugin. */
  get socketDir(): string {
    return this.#socketDir;
  }

  /** How it ended; undefined while it runs. */
  get exit(): ExitInfo | undefined {
    return this.#exit;
  }

  /** The last lines it wrote. */
  lastOutput(): readonly string[] {
    return this.#output.lastLines();
  }

  /** Why it is gone, with its last lines. */
  describeEnd(exit: ExitInfo): string {
    return `plugin process ${this.command} ${describeExit(exit)}${this.#output.quote()}`;
  }

  /** Fails unless the plugin answers that it serves. */
  async checkHealth(scope: Scope): Promise<void> {
    const { status } = await this.channel.unary(Health.method.check, { service: "plugin" }, scope);
    if (status !== serving) throw new AppError("Unavailable", `plugin ${this.command} says it does not serve`);
  }

  /** Ends the process at once. */
  kill(): void {
    this.#child.kill();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#disposed ??= this.#end();
    return this.#disposed;
  }

  async #end(): Promise<void> {
    const scope: Scope = { signal: new AbortController().signal, log: silentLogger };
    const limit = { ms: shutdownMs, clock: this.#clock, what: "shutting down" };
    if (!this.#exit) {
      // Some plugins cut the connection instead of answering, so only the exit counts.
      await withDeadline(limit, scope, async (inner) => {
        const asked = this.channel.unary(GRPCController.method.shutdown, {}, inner).catch(() => {});
        await Promise.race([asked, this.exited]);
        this.#closing.abort(new Error("plugin is being ended"));
        await this.exited;
      }).catch(() => this.kill());
    }
    this.#closing.abort(new Error("plugin has ended"));
    await this.exited;
    this.channel[Symbol.dispose]();
    await rm(this.#socketDir, { recursive: true, force: true });
  }
}
