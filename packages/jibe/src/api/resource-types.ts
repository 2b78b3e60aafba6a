import type { ResourceType } from "@jibe/engine";

const veleroType = (
  kind: string,
  resource: string,
  shortNames: readonly string[] = [],
  version = "v1",
): ResourceType => ({
  group: "velero.io",
  version,
  resource,
  kind,
  namespaced: true,
  verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
  shortNames,
  singular: kind.toLowerCase(),
  subresources: [],
});

/** Our own resources, so that nobody needs discovery to find them. */
export const veleroTypes = {
  backup: veleroType("Backup", "backups"),
  restore: veleroType("Restore", "restores"),
  schedule: veleroType("Schedule", "schedules"),
  backupStorageLocation: veleroType("BackupStorageLocation", "backupstoragelocations", ["bsl"]),
  volumeSnapshotLocation: veleroType("VolumeSnapshotLocation", "volumesnapshotlocations", ["vsl"]),
  deleteBackupRequest: veleroType("DeleteBackupRequest", "deletebackuprequests"),
  downloadRequest: veleroType("DownloadRequest", "downloadrequests"),
  serverStatusRequest: veleroType("ServerStatusRequest", "serverstatusrequests", ["ssr"]),
  podVolumeBackup: veleroType("PodVolumeBackup", "podvolumebackups"),
  podVolumeRestore: veleroType("PodVolumeRestore", "podvolumerestores"),
  backupRepository: veleroType("BackupRepository", "backuprepositories"),
} as const;

const coreType = (kind: string, resource: string, namespaced: boolean): ResourceType => ({
  group: "",
  version: "v1",
  resource,
  kind,
  namespaced,
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  shortNames: [],
  singular: kind.toLowerCase(),
  subresources: [],
});

/** The few core types that the server and the command line touch themselves. */
export const coreTypes = {
  namespace: coreType("Namespace", "namespaces", false),
  configMap: coreType("ConfigMap", "configmaps", true),
  secret: coreType("Secret", "secrets", true),
  pod: coreType("Pod", "pods", true),
  event: coreType("Event", "events", true),
  deployment: { ...coreType("Deployment", "deployments", true), group: "apps" },
} as const;
