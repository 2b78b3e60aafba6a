import { basename } from "node:path";
import { AppError, type Clock, type Logger, type LogLine, messageOf, type Scope, withDeadline } from "@jibe/base";
import { type GrpcChannel, type PluginProcess, startPlugin } from "@jibe/go-plugin";
import type { PluginKind } from "@jibe/plugin-sdk/contracts";
import { type AnnouncedPlugin, errorFromPlugin, veleroHandshake } from "@jibe/plugin-sdk/wire";
import { FirstCalls } from "./first-calls.ts";
import type { HostLimits } from "./settings.ts";

/** How an executable is started. */
export interface ExecutableSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits: HostLimits;
  /** Where its lines go. */
  readonly log: Logger;
  /** What it announced, as far as that is known yet. */
  readonly plugins: readonly AnnouncedPlugin[];
}

/** Brings a fresh process to where the last one was. */
export type Initializer = (channel: GrpcChannel, scope: Scope) => Promise<void>;

const exitNoticeMs = 1000;

/**
 * One process of one executable, for as long as a run needs it: started on need, started again when it died, and given up
 * after too many failures in a row.
 */
export class PluginExecutable implements AsyncDisposable {
  readonly #spec: ExecutableSpec;
  readonly #initializers = new Map<string, Initializer>();
  readonly #firstCalls = new WeakMap<PluginProcess, FirstCalls>();
  readonly #ending = new AbortController();
  #process: PluginProcess | undefined;
  #starting: Promise<PluginProcess> | undefined;
  /** Those whose failure was counted: a death ends many calls and is one failure. */
  readonly #failed = new WeakSet<PluginProcess>();
  readonly #told = new WeakSet<PluginProcess>();
  #failures = 0;
  #lastFailure: unknown;
  #activeCalls = 0;
  #lastUsedMs = 0;

  constructor(spec: ExecutableSpec) {
    this.#spec = spec;
  }

  get command(): string {
    return this.#spec.command;
  }

  /** The process that runs, if one does. */
  get pid(): number | undefined {
    return this.#process?.exit ? undefined : this.#process?.pid;
  }

  /** What to repeat on each process to come; a second one under the same key replaces the first. */
  remember(key: string, initializer: Initializer): void {
    this.#initializers.set(key, initializer);
  }

  /** Tells the run that the process died, once, however many calls that ended. */
  tellDeath(): void {
    const process = this.#process;
    if (!process?.exit || this.#told.has(process)) return;
    this.#told.add(process);
    this.#spec.log.error("plugin process exited", { ...this.#fields(), error: process.describeEnd(process.exit) });
  }

  /** Runs a call of a plugin of this kind. A death in mid-call is the call's error, with exit status and last lines. */
  async use<T>(kind: PluginKind, work: (channel: GrpcChannel) => Promise<T>, scope: Scope): Promise<T> {
    return await this.useAny(async (channel, firstCalls) => {
      if (!firstCalls.isReady(kind)) {
        const own: Scope = { signal: this.#ending.signal, log: scope.log };
        await stoppable(firstCalls.ready(kind, channel, own), scope.signal);
      }
      return await work(channel);
    }, scope);
  }

  /** Runs an `Init` of a plugin of this kind, in turn with the others. */
  async initialize(kind: PluginKind, init: (channel: GrpcChannel) => Promise<void>, scope: Scope): Promise<void> {
    await this.useAny((channel, firstCalls) => firstCalls.initialize(kind, () => init(channel)), scope);
  }

  /** Runs a call that is of no plugin. */
  async useAny<T>(work: (channel: GrpcChannel, firstCalls: FirstCalls) => Promise<T>, scope: Scope): Promise<T> {
    this.#activeCalls += 1;
    try {
      const process = await this.#running(scope);
      try {
        const result = await work(process.channel, this.#firstCallsOf(process));
        this.#failures = 0;
        return result;
      } catch (error) {
        scope.signal.throwIfAborted();
        throw await this.#explained(error, process, scope);
      }
    } finally {
      this.#activeCalls -= 1;
      this.#lastUsedMs = this.#spec.limits.clock.monotonicMs();
    }
  }

  /** Ends the process if nobody called it for `ms`; the next call starts a new one. */
  async restIfIdle(ms: number): Promise<void> {
    const idleMs = this.#spec.limits.clock.monotonicMs() - this.#lastUsedMs;
    if (this.#activeCalls === 0 && idleMs >= ms) await this.#rest();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort(new AppError("Unavailable", `plugin executable ${this.command} is being ended`));
    await this.#starting?.catch(() => {}); // whoever waited for it was told
    await this.#rest();
  }

  #firstCallsOf(process: PluginProcess): FirstCalls {
    const found = this.#firstCalls.get(process) ?? new FirstCalls(this.#spec.plugins, this.#spec.limits);
    this.#firstCalls.set(process, found);
    return found;
  }

  async #rest(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    await process?.[Symbol.asyncDispose]();
  }

  async #running(scope: Scope): Promise<PluginProcess> {
    this.#ending.signal.throwIfAborted();
    const { exit } = this.#process ?? {};
    if (this.#process && !exit) return this.#process;
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return await stoppable(this.#starting, scope.signal);
  }

  async #start(): Promise<PluginProcess> {
    const { command, args, env, limits, log } = this.#spec;
    const dead = this.#process;
    if (dead?.exit) {
      log.info("plugin process ended and is started again", {
        ...this.#fields(),
        reason: dead.describeEnd(dead.exit),
      });
    }
    this.#process = undefined;
    await dead?.[Symbol.asyncDispose]();
    if (this.#failures >= limits.maxFailures) {
      throw new AppError(
        "Unavailable",
        `plugin executable ${command} failed ${this.#failures} times in a row and is not started again in this run: ${messageOf(this.#lastFailure)}`,
      );
    }
    const scope: Scope = { signal: this.#ending.signal, log };
    let process: PluginProcess | undefined;
    try {
      process = await startPlugin(
        {
          command,
          args,
          env,
          handshake: veleroHandshake,
          startTimeoutMs: limits.startTimeoutMs,
          errorFrom: errorFromPlugin,
          onLog: (line) => this.#forward(line),
          clock: limits.clock,
        },
        scope,
      );
      await this.#initialize(process, scope);
    } catch (error) {
      await process?.[Symbol.asyncDispose]();
      this.#countFailure(error);
      throw error;
    }
    this.#process = process;
    return process;
  }

  async #initialize(process: PluginProcess, scope: Scope): Promise<void> {
    const { callTimeoutMs: ms, clock } = this.#spec.limits;
    for (const [key, initializer] of this.#initializers) {
      await withDeadline({ ms, clock, what: `initialising ${key} again` }, scope, (inner) =>
        initializer(process.channel, inner),
      );
    }
  }

  async #explained(error: unknown, process: PluginProcess, scope: Scope): Promise<unknown> {
    const { clock } = this.#spec.limits;
    if (mayBeDeath(error)) await exitOrTimeout(process, clock);
    if (process.exit) {
      const death = new AppError("Unavailable", process.describeEnd(process.exit));
      this.#countFailureOf(process, death);
      return death;
    }
    if (error instanceof AppError && error.code === "DeadlineExceeded") await this.#killUnlessHealthy(process, scope);
    return error;
  }

  /** A call that hangs costs that call; a process that does not answer at all is of no use to anyone. */
  async #killUnlessHealthy(process: PluginProcess, scope: Scope): Promise<void> {
    const { healthTimeoutMs: ms, clock } = this.#spec.limits;
    const limit = { ms, clock, what: "health check" };
    try {
      await withDeadline(limit, scope, (inner) => process.checkHealth(inner));
    } catch (error) {
      scope.signal.throwIfAborted();
      if (!process.exit) {
        const reason = messageOf(error);
        this.#spec.log.warn("plugin process does not answer and is killed", { ...this.#fields(), reason });
      }
      this.#countFailureOf(process, error);
      process.kill();
      await process.exited;
    }
  }

  #countFailureOf(process: PluginProcess, reason: unknown): void {
    if (!this.#failed.has(process)) this.#countFailure(reason);
    this.#failed.add(process);
  }

  #countFailure(reason: unknown): void {
    this.#failures += 1;
    this.#lastFailure = reason;
  }

  #forward({ level, message, fields }: LogLine): void {
    const { time: _t, timestamp: _ts, level: _l, "@logSourceSetBy": _by, ...rest } = fields;
    this.#spec.log[level](message, { ...rest, ...this.#fields() });
  }

  #fields() {
    return { cmd: this.command, pluginName: basename(this.command) };
  }
}

/** What grpc says when the other end vanished. */
function mayBeDeath(error: unknown): boolean {
  if (!(error instanceof AppError)) return true;
  return ["UNAVAILABLE", "INTERNAL", "CANCELLED"].includes(String(error.fields["grpcCode"]));
}

/** The connection breaks a little before the system tells us that the process is gone. */
async function exitOrTimeout(process: PluginProcess, clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _timer = clock.after(exitNoticeMs, resolve);
  await Promise.race([process.exited, promise]);
}

function stoppable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const stop = () => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  work.then(resolve, reject);
  return promise.finally(() => signal.removeEventListener("abort", stop));
}
