import type { Logger } from "@jibe/base";
import type { PluginConfig } from "./initialized-plugin.ts";
import { PluginExecutable } from "./plugin-executable.ts";
import type { HostLimits } from "./settings.ts";

export interface PoolSettings {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly limits: HostLimits;
  readonly log: Logger;
}

interface Member {
  readonly executable: PluginExecutable;
  /** The configuration it holds for each store or snapshotter. */
  readonly configs: Map<string, string>;
}

/**
 * The processes of one run: one per executable. Only when the same store or snapshotter is wanted with two configurations
 * does an executable get a second process, since each process keeps one.
 */
export class ExecutablePool implements AsyncDisposable {
  readonly #settings: PoolSettings;
  readonly #members = new Map<string, Member[]>();

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

  /** The process where the plugin called `key` has this configuration, or none yet. */
  executableFor(command: string, key: string, config: PluginConfig | undefined): PluginExecutable {
    if (!config) return this.executable(command);
    const text = JSON.stringify(Object.entries(config).sort(([a], [b]) => (a < b ? -1 : 1)));
    const fitting = this.#of(command).find(({ configs }) => (configs.get(key) ?? text) === text);
    const member = fitting ?? this.#add(command);
    member.configs.set(key, text);
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
    const member = { executable: new PluginExecutable({ command, ...this.#settings }), configs: new Map() };
    this.#members.set(command, [...this.#of(command), member]);
    return member;
  }
}
