import { type Clock, systemClock } from "@jibe/base";
import { extraKinds, extraKindsVariable } from "@jibe/plugin-sdk/wire";

export interface PluginHostSettings {
  /** Searched for executables, with its subfolders. One that does not exist holds no plugins. */
  readonly pluginDir: string;
  /** What plugins get as arguments: the server's own flags, as under Velero. */
  readonly args?: readonly string[];
  /** The server's environment, which plugins inherit. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The only variables that plugins inherit, besides `PATH`; all of them unless given. */
  readonly envNames?: readonly string[];
  /** Fail when any plugin is broken, as Velero does, instead of going on without it. */
  readonly strict?: boolean;
  /** Limit of one `execute` of an action; 60 minutes unless given. */
  readonly executeTimeoutMs?: number;
  /** Limit of every other call, and of a stream that does not move; 2 minutes unless given. */
  readonly callTimeoutMs?: number;
  /** From the start of a process to its first line; 60 s unless given. */
  readonly startTimeoutMs?: number;
  /** How long a process may take to say that it is well, when a call of it took too long; 5 s unless given. */
  readonly healthTimeoutMs?: number;
  /** After so many failures in a row an executable is not started again in that run; 10 unless given. */
  readonly maxFailures?: number;
  /** Shared processes that nobody called for so long are ended; 5 minutes unless given. */
  readonly sharedIdleMs?: number;
  readonly clock?: Clock;
  /** Told of each call that ended, for those who count them. */
  readonly onCall?: PluginCallListener;
}

export type PluginCallListener = (call: {
  readonly plugin: string;
  readonly method: string;
  readonly outcome: "ok" | "error";
  readonly ms: number;
}) => void;

/** Settings with everything decided. */
export interface HostLimits {
  readonly executeTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly startTimeoutMs: number;
  readonly healthTimeoutMs: number;
  readonly maxFailures: number;
  readonly clock: Clock;
  readonly onCall: PluginCallListener;
}

const minute = 60_000;

export function limitsFrom(settings: PluginHostSettings): HostLimits {
  return {
    executeTimeoutMs: settings.executeTimeoutMs ?? 60 * minute,
    callTimeoutMs: settings.callTimeoutMs ?? 2 * minute,
    startTimeoutMs: settings.startTimeoutMs ?? minute,
    healthTimeoutMs: settings.healthTimeoutMs ?? 5000,
    maxFailures: settings.maxFailures ?? 10,
    clock: settings.clock ?? systemClock,
    onCall: settings.onCall ?? (() => {}),
  };
}

/** The environment of plugins. It also tells those made with our SDK which kinds we know beyond Velero's. */
export function pluginEnvironment({ env, envNames }: PluginHostSettings): Record<string, string | undefined> {
  const names = envNames && envNames.length > 0 ? ["PATH", ...envNames] : Object.keys(env);
  const inherited = names.map((name) => [name, env[name]] as const).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(inherited), [extraKindsVariable]: extraKinds.join(",") };
}
