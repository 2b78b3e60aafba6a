/** The kinds of plugin, by the names the registry and the wire use. */
export const pluginKinds = [
  "ObjectStore",
  "VolumeSnapshotter",
  "VolumeSnapshotterV2",
  "BackupItemAction",
  "BackupItemActionV2",
  "RestoreItemAction",
  "RestoreItemActionV2",
  "DeleteItemAction",
  "ItemBlockAction",
] as const;

export type PluginKind = (typeof pluginKinds)[number];
