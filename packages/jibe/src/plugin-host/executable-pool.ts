import { AppError, type Logger } from "@jibe/base";
import type { PluginKind } from "@jibe/plugin-sdk/contracts";
import type { AnnouncedPlugin } from "@jibe/plugin-sdk/wire";
import type { PluginConfig } from "./initialized-plugin.ts";
import { PluginExecutable } from "./plugin-executable.ts";
import type { HostLimits } from "./settings.ts";

export interface PoolSettings {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits: HostLimits;
  readonly log: Logger;
  /** All that was found, so that a process knows what is in it. */
  readonly plugins: readonly AnnouncedPlugin[];
}

interface Member {
  readonly executable: PluginExecutable;
  /** The store and the snapshotter it holds, each with its configuration, by kind. */
  readonly held: Map<PluginKind, string>;
}

/**
 * The processes of one run: one per executable. Only when two stores or snapshotters of an executable are wanted, or one
 * with two configurations, does it get a second process: each process holds one of a kind, in one configuration.
 */
export class ExecutablePool implements AsyncDisposable {
  readonly #settings: PoolSettings;
  readonly #members = new Map<string, Member[]>();
  #isOver = false;

  constructor(settings: PoolSettings) {
    this.#settings = settings;
  }

  get limits(): HostLimits {
    return this.#settings.limits;
  }

  /** The process that all actions of an executable share. */
  executable(command: string): PluginExecutable {
    const [first] = this.#of(command);
    return (first ?? this.#add(command)).executable;
  }

  /** The process that holds the plugin with this configuration, or nothing of its kind yet. */
  executableFor(
    command: string,
    { kind, name }: Pick<AnnouncedPlugin, "kind" | "name">,
    config: PluginConfig | undefined,
  ): PluginExecutable {
    if (!config) return this.executable(command);
    const wanted = JSON.stringify([name, Object.entries(config).sort(([a], [b]) => (a < b ? -1 : 1))]);
    const fitting = this.#of(command).find(({ held }) => (held.get(kind) ?? wanted) === wanted);
    const member = fitting ?? this.#add(command);
    member.held.set(kind, wanted);
    return member.executable;
  }

  /** The processes that run. */
  pids(): readonly number[] {
    return this.#all().flatMap(({ executable }) => executable.pid ?? []);
  }

  /** Ends processes that nobody called for `ms`. They start again on need. */
  async restIdle(ms: number): Promise<void> {
    await Promise.all(this.#all().map(({ executable }) => executable.restIfIdle(ms)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#all().map(({ executable }) => executable[Symbol.asyncDispose]()));
    this.#members.clear();
  }

  #all(): readonly Member[] {
    return [...this.#members.values()].flat();
  }

  #of(command: string): readonly Member[] {
    return this.#members.get(command) ?? [];
  }

  #add(command: string): Member {
    // Nobody would end a process that began now.
    if (this.#isOver)
      throw new AppError("Internal", `plugin executable ${command} is asked for after its run has ended`);
    const plugins = this.#settings.plugins.filter((plugin) => plugin.command === command);
    const member = { executable: new PluginExecutable({ ...this.#settings, command, plugins }), held: new Map() };
    this.#members.set(command, [...this.#of(command), member]);
    return member;
  }
}
