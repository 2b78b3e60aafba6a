import { AppError, type Logger, mapConcurrent, messageOf, type Scope, withDeadline } from "@jibe/base";
import type { PluginKind } from "@jibe/plugin-sdk/contracts";
import { type AnnouncedPlugin, listPlugins } from "@jibe/plugin-sdk/wire";
import { ExecutablePool } from "./executable-pool.ts";
import { findExecutables } from "./find-executables.ts";
import { PluginCatalog, type PluginProblem } from "./plugin-catalog.ts";
import { PluginExecutable } from "./plugin-executable.ts";
import { type BuiltInPlugins, PluginRun } from "./plugin-run.ts";
import { type HostLimits, limitsFrom, type PluginHostSettings, pluginEnvironment } from "./settings.ts";

/** A plugin as users see it. */
export interface PluginInfo {
  readonly kind: PluginKind;
  readonly name: string;
  /** The executable that brings it. */
  readonly command: string;
}

const listedAtOnce = 2;
const defaultSharedIdleMs = 5 * 60_000;

/**
 * Finds the plugins on disk and lists them. A broken one is reported by name, with its last output, and the rest go on;
 * with `strict` it fails instead.
 */
export async function startPluginHost(settings: PluginHostSettings, scope: Scope): Promise<PluginHost> {
  const catalog = new PluginCatalog();
  const start = { args: settings.args ?? [], env: pluginEnvironment(settings), limits: limitsFrom(settings) };
  const commands = await findExecutables(settings.pluginDir, scope);
  const options = {
    limit: listedAtOnce,
    ordered: true,
    each: (command: string, inner: Scope) => announcedBy(command, start, inner),
  };
  for await (const found of mapConcurrent(commands, options, scope)) {
    if ("message" in found) catalog.report(found);
    else catalog.add(found.plugins);
  }
  for (const { command, message } of catalog.problems) {
    if (settings.strict) throw new AppError("InvalidArgument", `plugin ${command} cannot be used: ${message}`);
    scope.log.error("plugin cannot be used; the server goes on without it", { cmd: command, error: message });
  }
  scope.log.info("plugins found", { plugins: catalog.plugins.length, executables: commands.length });
  return new PluginHost({ catalog, start, sharedIdleMs: settings.sharedIdleMs ?? defaultSharedIdleMs, log: scope.log });
}

interface StartSettings {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits: HostLimits;
}

async function announcedBy(
  command: string,
  start: StartSettings,
  scope: Scope,
): Promise<PluginProblem | { readonly plugins: readonly AnnouncedPlugin[] }> {
  await using executable = new PluginExecutable({ command, ...start, log: scope.log, plugins: [] });
  const { callTimeoutMs: ms, clock } = start.limits;
  try {
    const plugins = await executable.useAny(
      (channel) => withDeadline({ ms, clock, what: "ListPlugins" }, scope, (inner) => listPlugins(channel, inner)),
      scope,
    );
    return { plugins };
  } catch (error) {
    scope.signal.throwIfAborted();
    return { command, message: messageOf(error) };
  }
}

/** The plugins that were found, for as long as the server runs. */
export class PluginHost implements AsyncDisposable {
  /** For pollers and location checks: one process per executable that they share. Ends its processes when idle. */
  readonly shared: PluginRun;
  readonly #catalog: PluginCatalog;
  readonly #start: StartSettings;
  readonly #sharedPool: ExecutablePool;
  readonly #runs = new Set<PluginRun>();
  #idleTimer: Disposable;

  constructor(parts: {
    readonly catalog: PluginCatalog;
    readonly start: StartSettings;
    readonly sharedIdleMs: number;
    readonly log: Logger;
  }) {
    const { catalog, start, sharedIdleMs, log } = parts;
    this.#catalog = catalog;
    this.#start = start;
    this.#sharedPool = new ExecutablePool({ ...start, log, plugins: catalog.plugins });
    this.shared = new PluginRun({ catalog, pool: this.#sharedPool, builtIns: {}, log });
    this.#idleTimer = this.#watchIdle(sharedIdleMs);
  }

  /** What is installed on disk, in the order of discovery. */
  list(): readonly PluginInfo[] {
    return this.#catalog.plugins.map(({ kind, name, command }) => ({ kind, name, command }));
  }

  /** What is on disk and cannot be used, and why. */
  problems(): readonly PluginProblem[] {
    return this.#catalog.problems;
  }

  /** The plugins of one backup, restore or deletion. Lines that their processes log go to `log`. Dispose it with the run. */
  openRun({ log, builtIns = {} }: { readonly log: Logger; readonly builtIns?: BuiltInPlugins }): PluginRun {
    const pool = new ExecutablePool({ ...this.#start, log, plugins: this.#catalog.plugins });
    const run = new PluginRun({
      catalog: this.#catalog,
      builtIns,
      log,
      pool,
      onEnd: () => this.#runs.delete(run),
    });
    this.#runs.add(run);
    return run;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#idleTimer[Symbol.dispose]();
    await Promise.all([this.shared, ...this.#runs].map((run) => run[Symbol.asyncDispose]()));
  }

  #watchIdle(ms: number): Disposable {
    return this.#start.limits.clock.after(ms, () => {
      // Ending an idle process cannot fail in a way that anyone could act on.
      this.#sharedPool.restIdle(ms).catch(() => {});
      this.#idleTimer = this.#watchIdle(ms);
    });
  }
}
