export const labels = {
  backupName: "velero.io/backup-name",
  backupUid: "velero.io/backup-uid",
  restoreName: "velero.io/restore-name",
  restoreUid: "velero.io/restore-uid",
  scheduleName: "velero.io/schedule-name",
  storageLocation: "velero.io/storage-location",
  excludeFromBackup: "velero.io/exclude-from-backup",
  gcFailure: "velero.io/gc-failure",
} as const;

export const annotations = {
  cancel: "jibe.io/cancel",
  /** Who runs a backup or restore and which attempt it is: `<holder>/<attempt>`. */
  runHolder: "jibe.io/run-holder",
  runAttempt: "jibe.io/run-attempt",
  /** What a run is at, for those who wait for it; gone once it has come to another phase. */
  runPlace: "jibe.io/run-place",
  /** A DownloadRequest with it is answered by Secrets instead of a URL. */
  inline: "jibe.io/inline",
  /** A backup found in a store whose other resources are not all made yet. */
  halfTakenIn: "jibe.io/half-taken-in",
  podVolumeTimeout: "velero.io/pod-volume-timeout",
} as const;

/** The reason of a run that a user stopped. */
export const canceledByUser = "Canceled by user";

export const restoreFinalizer = "restores.velero.io/external-resources-finalizer";
