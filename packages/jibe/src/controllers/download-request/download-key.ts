import { backupKeys, restoreKeys } from "@jibe/engine";
import type { DownloadTargetKind } from "../../api/resources.ts";

type Target =
  | { readonly of: "backup"; readonly key: (name: string) => string }
  | { readonly of: "restore"; readonly key: (name: string) => string };

const backup = (pick: (keys: ReturnType<typeof backupKeys>) => string): Target => ({
  of: "backup",
  key: (name) => pick(backupKeys(name)),
});
const restore = (pick: (keys: ReturnType<typeof restoreKeys>) => string): Target => ({
  of: "restore",
  key: (name) => pick(restoreKeys(name)),
});

/** Which file each kind of download request asks for, and whether of a backup or of a restore. */
export const downloadTargets: Readonly<Record<DownloadTargetKind, Target>> = {
  BackupLog: backup((keys) => keys.log),
  BackupContents: backup((keys) => keys.contents),
  BackupVolumeSnapshots: backup((keys) => keys.volumeSnapshots),
  BackupItemOperations: backup((keys) => keys.itemOperations),
  BackupResourceList: backup((keys) => keys.resourceList),
  BackupResults: backup((keys) => keys.results),
  BackupVolumeInfos: backup((keys) => keys.volumeInfo),
  CSIBackupVolumeSnapshots: backup((keys) => keys.csiVolumeSnapshots),
  CSIBackupVolumeSnapshotContents: backup((keys) => keys.csiVolumeSnapshotContents),
  RestoreLog: restore((keys) => keys.log),
  RestoreResults: restore((keys) => keys.results),
  RestoreResourceList: restore((keys) => keys.resourceList),
  RestoreItemOperations: restore((keys) => keys.itemOperations),
  RestoreVolumeInfo: restore((keys) => keys.volumeInfo),
};
