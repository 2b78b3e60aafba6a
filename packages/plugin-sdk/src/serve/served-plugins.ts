import { AppError, type Clock, type Logger, type Scope } from "@jibe/base";
import type { ServerCall } from "@jibe/go-plugin";
import type { PluginKind } from "../contracts/index.ts";
import type { Plugin, PluginContracts } from "../plugin.ts";
import { extraKinds } from "../wire/handshake.ts";
import { checkPluginName } from "../wire/plugin-name.ts";
import { snapshotterV2AsV1 } from "./snapshotter-v2-as-v1.ts";

/** One entry of the list a host asks for. */
export interface ServedPlugin {
  readonly kind: PluginKind;
  readonly name: string;
}

/** The plugins of this process, as the host may call them. */
export class ServedPlugins {
  readonly #plugins = new Map<string, Plugin>();
  readonly #log: Logger;

  /** `hostKinds` are the kinds the host knows beyond Velero's: a plugin of another such kind is lowered to version 1. */
  constructor(
    plugins: Readonly<Record<string, Plugin>>,
    { hostKinds, log, clock }: { readonly hostKinds: readonly string[]; readonly log: Logger; readonly clock: Clock },
  ) {
    this.#log = log;
    for (const [name, plugin] of Object.entries(plugins)) {
      checkPluginName(name);
      const lowered = extraKinds.includes(plugin.kind) && !hostKinds.includes(plugin.kind);
      this.#plugins.set(name, lowered ? loweredToV1(plugin, clock) : plugin);
    }
  }

  /** Sorted by kind, then by name, so that a host always sees the same order. */
  list(): readonly ServedPlugin[] {
    return [...this.#plugins]
      .map(([name, { kind }]) => ({ kind, name }))
      .sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || (a.name < b.name ? -1 : 1));
  }

  find<K extends PluginKind>(kind: K, name: string): PluginContracts[K] {
    const plugin = this.#plugins.get(name);
    if (plugin?.kind === kind) return plugin.contract as PluginContracts[K];
    throw new AppError("Internal", `${kind} plugin: ${name} was not found or has an invalid name format`);
  }

  /** What a call's function is handed: lines it logs carry the plugin's name. */
  scope(name: string, { signal }: ServerCall): Scope {
    return { signal, log: this.#log.with({ plugin: name }) };
  }
}

// The order in which Velero's own framework lists its kinds.
const order: readonly PluginKind[] = [
  "BackupItemAction",
  "BackupItemActionV2",
  "VolumeSnapshotter",
  "VolumeSnapshotterV2",
  "ObjectStore",
  "RestoreItemAction",
  "RestoreItemActionV2",
  "DeleteItemAction",
  "ItemBlockAction",
];

function loweredToV1(plugin: Plugin, clock: Clock): Plugin {
  if (plugin.kind !== "VolumeSnapshotterV2") return plugin;
  return { kind: "VolumeSnapshotter", contract: snapshotterV2AsV1(plugin.contract, clock) };
}
