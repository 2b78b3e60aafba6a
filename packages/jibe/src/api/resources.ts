import type { BackupSpec, KubernetesObject } from "@jibe/plugin-sdk/contracts";

export type {
  Backup,
  BackupPhase,
  BackupSpec,
  BackupStatus,
  Restore,
  RestorePhase,
  RestoreSpec,
  RestoreStatus,
} from "@jibe/plugin-sdk/contracts";

/** A key of a Secret in the server's namespace. */
export interface SecretKeySelector {
  name: string;
  key: string;
}

export interface Schedule extends KubernetesObject {
  spec: {
    template: BackupSpec;
    schedule: string;
    useOwnerReferencesInBackup?: boolean | null;
    paused?: boolean;
    skipImmediately?: boolean | null;
  };
  status?: {
    phase?: "New" | "Enabled" | "FailedValidation";
    lastBackup?: string;
    lastSkipped?: string;
    validationErrors?: string[];
  };
}

export interface BackupStorageLocation extends KubernetesObject {
  spec: {
    provider: string;
    config?: Record<string, string>;
    credential?: SecretKeySelector;
    objectStorage?: { bucket: string; prefix?: string; caCert?: string; caCertRef?: SecretKeySelector };
    default?: boolean;
    accessMode?: "ReadOnly" | "ReadWrite";
    backupSyncPeriod?: string;
    validationFrequency?: string;
  };
  status?: {
    phase?: "Available" | "Unavailable";
    lastSyncedTime?: string;
    lastValidationTime?: string;
    message?: string;
  };
}

export interface VolumeSnapshotLocation extends KubernetesObject {
  spec: { provider: string; config?: Record<string, string>; credential?: SecretKeySelector };
  status?: { phase?: "Available" | "Unavailable" };
}

/** Where a data mover keeps what it took from volumes. Ours makes none; those of Velero are shown. */
export interface BackupRepository extends KubernetesObject {
  spec: { volumeNamespace?: string; backupStorageLocation?: string; repositoryType?: string };
  status?: { phase?: string; lastMaintenanceTime?: string };
}

export interface DeleteBackupRequest extends KubernetesObject {
  spec: { backupName: string };
  status?: { phase?: "New" | "InProgress" | "Processed"; errors?: string[] };
}

export const downloadTargetKinds = [
  "BackupLog",
  "BackupContents",
  "BackupVolumeSnapshots",
  "BackupItemOperations",
  "BackupResourceList",
  "BackupResults",
  "RestoreLog",
  "RestoreResults",
  "RestoreResourceList",
  "RestoreItemOperations",
  "CSIBackupVolumeSnapshots",
  "CSIBackupVolumeSnapshotContents",
  "BackupVolumeInfos",
  "RestoreVolumeInfo",
] as const;

export type DownloadTargetKind = (typeof downloadTargetKinds)[number];

export interface DownloadRequest extends KubernetesObject {
  spec: { target: { kind: DownloadTargetKind; name: string } };
  status?: { phase?: "New" | "Processed"; downloadURL?: string; expiration?: string };
}

export interface ServerStatusRequest extends KubernetesObject {
  spec: Record<string, never>;
  status?: {
    phase?: "New" | "Processed";
    processedTimestamp?: string;
    serverVersion?: string;
    plugins?: { name: string; kind: string }[];
  };
}
