import { type Scope, withDeadline } from "@jibe/base";
import type { GrpcChannel } from "@jibe/go-plugin";
import type { PluginKind, ResourceSelector } from "@jibe/plugin-sdk/contracts";
import {
  type AnnouncedPlugin,
  remoteBackupItemActionV1,
  remoteBackupItemActionV2,
  remoteDeleteItemAction,
  remoteItemBlockAction,
  remoteRestoreItemActionV1,
  remoteRestoreItemActionV2,
} from "@jibe/plugin-sdk/wire";
import type { HostLimits } from "./settings.ts";

type AppliesTo = (scope: Scope) => Promise<ResourceSelector>;

const appliesTo: Readonly<Partial<Record<PluginKind, (channel: GrpcChannel, name: string) => AppliesTo>>> = {
  BackupItemAction: (channel, name) => remoteBackupItemActionV1(channel, name).appliesTo,
  BackupItemActionV2: (channel, name) => remoteBackupItemActionV2(channel, name).appliesTo,
  RestoreItemAction: (channel, name) => remoteRestoreItemActionV1(channel, name).appliesTo,
  RestoreItemActionV2: (channel, name) => remoteRestoreItemActionV2(channel, name).appliesTo,
  DeleteItemAction: (channel, name) => remoteDeleteItemAction(channel, name).appliesTo,
  ItemBlockAction: (channel, name) => remoteItemBlockAction(channel, name).appliesTo,
};

/**
 * Velero's framework makes a plugin when it is first called, in a map per kind that has no lock: a first call beside any
 * other of that kind kills the whole process. So on each process all actions of a kind are first called one after the
 * other, before any other call of that kind. Stores and snapshotters begin with `Init`: their first one runs alone.
 */
export class FirstCalls {
  readonly #ready = new Map<PluginKind, Promise<void>>();
  readonly #done = new Set<PluginKind>();
  readonly #plugins: readonly AnnouncedPlugin[];
  readonly #limits: HostLimits;

  /** `plugins` are those of the executable. */
  constructor(plugins: readonly AnnouncedPlugin[], limits: HostLimits) {
    this.#plugins = plugins;
    this.#limits = limits;
  }

  /** Whether calls of the kind may run side by side already. */
  isReady(kind: PluginKind): boolean {
    return this.#done.has(kind) || appliesTo[kind] === undefined;
  }

  /** Resolves once calls of the kind may run side by side. What went wrong is told by the calls themselves. */
  ready(kind: PluginKind, channel: GrpcChannel, scope: Scope): Promise<void> {
    const known = this.#ready.get(kind);
    if (known) return known;
    const ask = appliesTo[kind];
    if (!ask) return Promise.resolve();
    const asked = this.#askAll(kind, (name) => ask(channel, name), scope).then(() => {
      this.#done.add(kind);
    });
    this.#ready.set(kind, asked);
    return asked;
  }

  /** Runs an `Init`: the first of its kind alone, the others after it. */
  async initialize(kind: PluginKind, init: () => Promise<void>): Promise<void> {
    const first = this.#ready.get(kind);
    if (first) {
      await first;
      return await init();
    }
    const alone = init();
    this.#ready.set(
      kind,
      alone.catch(() => {}),
    );
    await alone;
  }

  async #askAll(kind: PluginKind, ask: (name: string) => AppliesTo, scope: Scope): Promise<void> {
    const { callTimeoutMs: ms, clock } = this.#limits;
    for (const { name } of this.#plugins.filter((plugin) => plugin.kind === kind)) {
      if (scope.signal.aborted) return;
      await withDeadline({ ms, clock, what: "AppliesTo" }, scope, ask(name)).catch(() => {});
    }
  }
}
