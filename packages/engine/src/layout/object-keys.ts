/** Where the files of one backup lie in a storage location. The folder is a backup once `metadata` exists. */
export interface BackupKeys {
  /** Ends with `/`; every other key begins with it. */
  readonly directory: string;
  readonly metadata: string;
  readonly contents: string;
  readonly log: string;
  readonly results: string;
  readonly resourceList: string;
  readonly volumeSnapshots: string;
  readonly podVolumeBackups: string;
  readonly itemOperations: string;
  readonly volumeInfo: string;
  /** Ours: one line per item with its outcome. */
  readonly ledger: string;
  /** Written by older Velero servers only; read where present. */
  readonly csiVolumeSnapshots: string;
  readonly csiVolumeSnapshotContents: string;
  readonly csiVolumeSnapshotClasses: string;
}

/** Where the files of one restore lie, in the storage location of its backup. */
export interface RestoreKeys {
  readonly directory: string;
  readonly log: string;
  readonly results: string;
  readonly resourceList: string;
  readonly itemOperations: string;
  readonly volumeInfo: string;
  readonly ledger: string;
}

/** The folder under which all backups lie. */
export const backupsPrefix = "backups/";

/** The folder under which all restores lie. */
export const restoresPrefix = "restores/";

export function backupKeys(name: string): BackupKeys {
  const directory = `${backupsPrefix}${name}/`;
  const file = (suffix: string) => `${directory}${name}${suffix}`;
  return {
    directory,
    metadata: `${directory}velero-backup.json`,
    contents: file(".tar.gz"),
    log: file("-logs.gz"),
    results: file("-results.gz"),
    resourceList: file("-resource-list.json.gz"),
    volumeSnapshots: file("-volumesnapshots.json.gz"),
    podVolumeBackups: file("-podvolumebackups.json.gz"),
    itemOperations: file("-itemoperations.json.gz"),
    volumeInfo: file("-volumeinfo.json.gz"),
    ledger: file("-ledger.jsonl.gz"),
    csiVolumeSnapshots: file("-csi-volumesnapshots.json.gz"),
    csiVolumeSnapshotContents: file("-csi-volumesnapshotcontents.json.gz"),
    csiVolumeSnapshotClasses: file("-csi-volumesnapshotclasses.json.gz"),
  };
}

export function restoreKeys(name: string): RestoreKeys {
  const directory = `${restoresPrefix}${name}/`;
  const file = (suffix: string) => `${directory}restore-${name}${suffix}`;
  return {
    directory,
    log: file("-logs.gz"),
    results: file("-results.gz"),
    resourceList: file("-resource-list.json.gz"),
    itemOperations: file("-itemoperations.json.gz"),
    volumeInfo: `${directory}${name}-volumeinfo.json.gz`, // no "restore-" here, as in Velero
    ledger: file("-ledger.jsonl.gz"),
  };
}
