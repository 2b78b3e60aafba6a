import { type Clock, type Scope, silentLogger, systemClock } from "@jibe/base";
import type { PluginProcess } from "@jibe/go-plugin";
import { ownEnvironment } from "../serve-plugins.ts";
import { type AnnouncedPlugin, listPlugins } from "../wire/index.ts";
import { checkAction } from "./check-actions.ts";
import { checkEnd, checkExecutable, startTrial, type Trial } from "./check-executable.ts";
import { checkObjectStore } from "./check-object-store.ts";
import { checkVolumeSnapshotter } from "./check-volume-snapshotter.ts";
import { Checks, type VerifyReport } from "./report.ts";
import type { Subject } from "./subject.ts";

export interface VerifyOptions {
  /** What the executable is started with; a server would give its own flags. */
  readonly args?: readonly string[];
  /** The environment of this process, unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Configuration for stores and snapshotters, by their name. Stores write below `verify-plugin/` and clean up. */
  readonly configs?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Limit of each check; 20 s unless given. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

/**
 * Checks any plugin executable, in any language, against what jibe and Velero expect of it: handshake, listing, each
 * kind's contract, big payloads, cancellation, errors, end and restart. It needs no cluster; actions run on made-up items,
 * so a plugin that reaches out to other systems should be pointed at test ones.
 */
export async function verifyPlugin(
  command: string,
  options: VerifyOptions = {},
  scope: Scope = { signal: new AbortController().signal, log: silentLogger },
): Promise<VerifyReport> {
  const { args = [], env = ownEnvironment(), configs = {}, timeoutMs = 20_000, clock = systemClock } = options;
  const checks = new Checks();
  const trial: Trial = { command, args, env, timeoutMs, clock, checks };
  await using stack = new AsyncDisposableStack();
  let current: PluginProcess | undefined;
  const process = async (inner: Scope) => {
    if (!current || current.exit) current = stack.use(await startTrial(trial, inner));
    return current;
  };
  const started = await checks.run("executable", "starts and says where it listens", scope, async () => {
    await process(scope);
  });
  if (started) {
    await checkExecutable(trial, await process(scope), scope);
    const plugins = await listPlugins((await process(scope)).channel, scope).catch(() => []); // was reported above
    for (const plugin of plugins) {
      await checkPlugin({ plugin, process, checks, timeoutMs, clock, config: configs[plugin.name] }, scope);
    }
    await checkEnd(trial, await process(scope), scope);
  }
  return checks.report(command);
}

function checkPlugin(subject: Subject, scope: Scope): Promise<void> {
  switch (subject.plugin.kind satisfies AnnouncedPlugin["kind"]) {
    case "ObjectStore":
      return checkObjectStore(subject, scope);
    case "VolumeSnapshotter":
    case "VolumeSnapshotterV2":
      return checkVolumeSnapshotter(subject, scope);
    default:
      return checkAction(subject, scope);
  }
}
