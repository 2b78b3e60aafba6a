import { AppError, type Logger } from "@jibe/base";
import type { BackupAction, BlockAction, DeleteAction, RestoreAction, RunPlugins, Snapshotter } from "@jibe/engine";
import type { ObjectStore } from "@jibe/plugin-sdk/contracts";
import { type AnnouncedPlugin, qualifiedPluginName } from "@jibe/plugin-sdk/wire";
import { backupActionV1, backupActionV2 } from "./backup-action.ts";
import type { ExecutablePool } from "./executable-pool.ts";
import { blockAction, deleteAction } from "./item-actions.ts";
import { externalObjectStore } from "./object-store.ts";
import { type PluginCalls, pluginCalls } from "./plugin-calls.ts";
import type { PluginCatalog, PluginFamily } from "./plugin-catalog.ts";
import { type ResourceBytes, resourceBytes } from "./resource-bytes.ts";
import { restoreActionV1, restoreActionV2 } from "./restore-action.ts";
import { snapshotterV1, snapshotterV2 } from "./snapshotter.ts";

/** What runs in this process, on the same ports as what plugins bring. Lists are in the order of execution. */
export interface BuiltInPlugins {
  readonly backupActions?: readonly BackupAction[];
  readonly restoreActions?: readonly RestoreAction[];
  readonly blockActions?: readonly BlockAction[];
  readonly deleteActions?: readonly DeleteAction[];
  readonly snapshotters?: readonly Snapshotter[];
}

/** The plugins of one run. Its processes start on need and end with it. */
export class PluginRun implements RunPlugins, AsyncDisposable {
  readonly #catalog: PluginCatalog;
  readonly #pool: ExecutablePool;
  readonly #builtIns: BuiltInPlugins;
  readonly #log: Logger;
  readonly #bytesOf: ResourceBytes = resourceBytes();
  readonly #onEnd: () => void;
  readonly #saidToWin = new Set<string>();

  constructor(parts: {
    readonly catalog: PluginCatalog;
    readonly pool: ExecutablePool;
    readonly builtIns: BuiltInPlugins;
    readonly log: Logger;
    /** Called when the run was disposed. */
    readonly onEnd?: () => void;
  }) {
    this.#catalog = parts.catalog;
    this.#pool = parts.pool;
    this.#builtIns = parts.builtIns;
    this.#log = parts.log;
    this.#onEnd = parts.onEnd ?? (() => {});
  }

  async backupActions(): Promise<readonly BackupAction[]> {
    return this.#actions("BackupItemAction", this.#builtIns.backupActions, (plugin, calls) =>
      (plugin.kind === "BackupItemActionV2" ? backupActionV2 : backupActionV1)(calls, this.#bytesOf),
    );
  }

  async restoreActions(): Promise<readonly RestoreAction[]> {
    return this.#actions("RestoreItemAction", this.#builtIns.restoreActions, (plugin, calls) =>
      (plugin.kind === "RestoreItemActionV2" ? restoreActionV2 : restoreActionV1)(calls, this.#bytesOf),
    );
  }

  async blockActions(): Promise<readonly BlockAction[]> {
    return this.#actions("ItemBlockAction", this.#builtIns.blockActions, (_plugin, calls) =>
      blockAction(calls, this.#bytesOf),
    );
  }

  async deleteActions(): Promise<readonly DeleteAction[]> {
    return this.#actions("DeleteItemAction", this.#builtIns.deleteActions, (_plugin, calls) =>
      deleteAction(calls, this.#bytesOf),
    );
  }

  async snapshotter(provider: string): Promise<Snapshotter> {
    const name = qualifiedPluginName(provider);
    const plugin = this.#catalog.find("VolumeSnapshotter", name);
    const builtIn = this.#builtIns.snapshotters?.find((snapshotter) => snapshotter.name === name);
    if (!plugin) {
      if (builtIn) return builtIn;
      throw new AppError("NotFound", `no volume snapshotter plugin "${name}" is installed`);
    }
    if (builtIn) this.#sayWhoWins(plugin);
    const source = this.#initializedSource(plugin);
    return plugin.kind === "VolumeSnapshotterV2" ? snapshotterV2(source) : snapshotterV1(source);
  }

  /** The object store plugin on disk with this name, with or without the prefix `velero.io/`; the caller runs `init`. */
  async objectStore(provider: string): Promise<ObjectStore | undefined> {
    const plugin = this.#catalog.find("ObjectStore", qualifiedPluginName(provider));
    return plugin && externalObjectStore(this.#initializedSource(plugin));
  }

  /** The plugin processes of this run. */
  pids(): readonly number[] {
    return this.#pool.pids();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
    this.#onEnd();
  }

  #actions<Action extends { readonly name: string }>(
    family: PluginFamily,
    builtIns: readonly Action[] = [],
    bind: (plugin: AnnouncedPlugin, calls: PluginCalls) => Action,
  ): readonly Action[] {
    const external = this.#catalog.family(family);
    const kept = builtIns.filter(({ name }) => {
      const winner = external.find((plugin) => plugin.name === name);
      if (winner) this.#sayWhoWins(winner);
      return winner === undefined;
    });
    return [...kept, ...external.map((plugin) => bind(plugin, this.#calls(plugin)))];
  }

  #calls(plugin: AnnouncedPlugin): PluginCalls {
    return pluginCalls(plugin, () => this.#pool.executable(plugin.command), this.#pool.limits);
  }

  #initializedSource({ kind, name, command }: AnnouncedPlugin) {
    return {
      name,
      limits: this.#pool.limits,
      executableFor: (config: Readonly<Record<string, string>> | undefined) =>
        this.#pool.executableFor(command, { kind, name }, config),
    };
  }

  #sayWhoWins({ kind, name, command }: AnnouncedPlugin): void {
    const key = `${kind} ${name}`;
    if (this.#saidToWin.has(key)) return;
    this.#saidToWin.add(key);
    this.#log.info("plugin on disk is used instead of the built-in one", { plugin: name, kind, cmd: command });
  }
}
