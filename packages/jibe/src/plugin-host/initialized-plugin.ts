import type { Scope } from "@jibe/base";
import type { GrpcChannel } from "@jibe/go-plugin";
import type { PluginKind } from "@jibe/plugin-sdk/contracts";
import { type PluginCalls, pluginCalls } from "./plugin-calls.ts";
import type { PluginExecutable } from "./plugin-executable.ts";
import type { HostLimits } from "./settings.ts";

export type PluginConfig = Readonly<Record<string, string>>;

/** Finds the process that may hold a plugin with this configuration. */
export type ExecutableForConfig = (config: PluginConfig | undefined) => PluginExecutable;

/**
 * A store or snapshotter: it is told its configuration before anything else, and again on every new process. One process
 * holds one configuration of it, so `init` chooses the process.
 */
export interface InitializedPlugin {
  readonly calls: PluginCalls;
  init(config: PluginConfig, scope: Scope): Promise<void>;
}

export function initializedPlugin(
  plugin: {
    readonly name: string;
    readonly kind: PluginKind;
    readonly limits: HostLimits;
    readonly init: (channel: GrpcChannel, config: PluginConfig, scope: Scope) => Promise<void>;
  },
  executableFor: ExecutableForConfig,
): InitializedPlugin {
  const { name, kind, limits, init } = plugin;
  let executable: PluginExecutable | undefined;
  const find = () => {
    executable ??= executableFor(undefined);
    return executable;
  };
  const calls = pluginCalls({ kind, name }, find, limits);
  return {
    calls,
    async init(config, scope) {
      const kept = { ...config };
      executable = executableFor(kept);
      await calls.initialize((channel, inner) => init(channel, kept, inner), scope);
      executable.remember(`${kind} ${name}`, (channel, inner) => init(channel, kept, inner));
    },
  };
}
