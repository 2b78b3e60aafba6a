import type { BuiltInPlugins, PluginHost } from "../plugin-host/index.ts";

export interface KnownPlugin {
  readonly name: string;
  readonly kind: string;
}

/** Every plugin that runs can use: those on disk, and those built in unless one on disk takes their place. */
export function knownPlugins(
  host: Pick<PluginHost, "list">,
  builtIns: BuiltInPlugins & { readonly objectStores: readonly string[] },
): KnownPlugin[] {
  const onDisk = host.list().map(({ name, kind }) => ({ name, kind }));
  const family = ({ kind, name }: KnownPlugin) => `${kind.replace(/V\d+$/, "")} ${name}`;
  const taken = new Set(onDisk.map(family));
  const named = (kind: string, own: readonly { readonly name: string }[] = []) =>
    own.map(({ name }) => ({ name, kind }));
  const builtIn = [
    ...named("BackupItemAction", builtIns.backupActions),
    ...named("RestoreItemAction", builtIns.restoreActions),
    ...named("ItemBlockAction", builtIns.blockActions),
    ...named("DeleteItemAction", builtIns.deleteActions),
    ...named("VolumeSnapshotter", builtIns.snapshotters),
    ...builtIns.objectStores.map((name) => ({ name, kind: "ObjectStore" })),
  ];
  return [...onDisk, ...builtIn.filter((plugin) => !taken.has(family(plugin)))];
}
