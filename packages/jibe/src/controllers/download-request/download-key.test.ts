import { expect, test } from "vitest";
import { downloadTargetKinds } from "../../api/resources.ts";
import { downloadTargets } from "./download-key.ts";

const keys: Record<(typeof downloadTargetKinds)[number], string> = {
  BackupLog: "backups/x/x-logs.gz",
  BackupContents: "backups/x/x.tar.gz",
  BackupVolumeSnapshots: "backups/x/x-volumesnapshots.json.gz",
  BackupItemOperations: "backups/x/x-itemoperations.json.gz",
  BackupResourceList: "backups/x/x-resource-list.json.gz",
  BackupResults: "backups/x/x-results.gz",
  BackupVolumeInfos: "backups/x/x-volumeinfo.json.gz",
  CSIBackupVolumeSnapshots: "backups/x/x-csi-volumesnapshots.json.gz",
  CSIBackupVolumeSnapshotContents: "backups/x/x-csi-volumesnapshotcontents.json.gz",
  RestoreLog: "restores/x/restore-x-logs.gz",
  RestoreResults: "restores/x/restore-x-results.gz",
  RestoreResourceList: "restores/x/restore-x-resource-list.json.gz",
  RestoreItemOperations: "restores/x/restore-x-itemoperations.json.gz",
  RestoreVolumeInfo: "restores/x/x-volumeinfo.json.gz",
};
for (const kind of downloadTargetKinds) {
  test(`a download of ${kind} asks for its file`, () => {
    expect(downloadTargets[kind].key("x")).toBe(keys[kind]);
    expect(downloadTargets[kind].of).toBe(kind.startsWith("Restore") ? "restore" : "backup");
  });
}
