import {
  boolean,
  duration,
  int64,
  list,
  map,
  nullable,
  object,
  objectReference,
  oneOf,
  type Schema,
  string,
  time,
} from "./schema.ts";

const phases = oneOf("New", "Accepted", "Prepared", "InProgress", "Canceling", "Canceled", "Completed", "Failed");
const progress = object({ totalBytes: int64, bytesDone: int64 });
const nodeOS = oneOf("auto", "linux", "windows");
const times = { startTimestamp: time, completionTimestamp: time, acceptedTimestamp: time } as const;
const movers = { phase: phases, message: string, progress, ...times } as const;

/** Resources of Velero's data movers and repositories, defined so that tools which expect them find them. */
export const dataMoverSchemas: Readonly<Record<string, { readonly spec: Schema; readonly status: Schema }>> = {
  PodVolumeBackup: {
    spec: object(
      {
        node: string,
        pod: objectReference,
        volume: string,
        backupStorageLocation: string,
        repoIdentifier: string,
        uploaderType: oneOf("kopia", "restic", ""),
        tags: map(),
        uploaderSettings: nullable(map()),
        cancel: boolean,
      },
      ["backupStorageLocation", "node", "pod", "repoIdentifier", "volume"],
    ),
    status: object({ ...movers, path: string, snapshotID: string, incrementalBytes: int64 }),
  },
  PodVolumeRestore: {
    spec: object(
      {
        pod: objectReference,
        volume: string,
        backupStorageLocation: string,
        repoIdentifier: string,
        uploaderType: oneOf("kopia", "restic", ""),
        snapshotID: string,
        sourceNamespace: string,
        uploaderSettings: nullable(map()),
        cancel: boolean,
        snapshotSize: int64,
      },
      ["backupStorageLocation", "pod", "repoIdentifier", "snapshotID", "sourceNamespace", "volume"],
    ),
    status: object({ ...movers, node: string }),
  },
  BackupRepository: {
    spec: object(
      {
        volumeNamespace: string,
        backupStorageLocation: string,
        repositoryType: oneOf("kopia", "restic", ""),
        resticIdentifier: string,
        maintenanceFrequency: duration,
        repositoryConfig: nullable(map()),
      },
      ["backupStorageLocation", "maintenanceFrequency", "volumeNamespace"],
    ),
    status: object({
      phase: oneOf("New", "Ready", "NotReady"),
      message: string,
      lastMaintenanceTime: time,
      recentMaintenance: list(
        object({
          result: oneOf("Succeeded", "Failed"),
          startTimestamp: time,
          completeTimestamp: time,
          message: string,
        }),
      ),
    }),
  },
  DataUpload: {
    spec: object(
      {
        snapshotType: string,
        csiSnapshot: nullable(
          object({ volumeSnapshot: string, storageClass: string, snapshotClass: string, driver: string }, [
            "storageClass",
            "volumeSnapshot",
          ]),
        ),
        sourcePVC: string,
        datamover: string,
        backupStorageLocation: string,
        sourceNamespace: string,
        dataMoverConfig: nullable(map()),
        cancel: boolean,
        operationTimeout: duration,
      },
      ["backupStorageLocation", "operationTimeout", "snapshotType", "sourceNamespace", "sourcePVC"],
    ),
    status: object({
      ...movers,
      path: string,
      snapshotID: string,
      dataMoverResult: nullable(map()),
      incrementalBytes: int64,
      node: string,
      nodeOS,
      acceptedByNode: string,
    }),
  },
  DataDownload: {
    spec: object(
      {
        targetVolume: object({ pvc: string, pv: string, namespace: string }, ["namespace", "pv", "pvc"]),
        backupStorageLocation: string,
        datamover: string,
        snapshotID: string,
        sourceNamespace: string,
        dataMoverConfig: nullable(map()),
        cancel: boolean,
        operationTimeout: duration,
        nodeOS,
        snapshotSize: int64,
      },
      ["backupStorageLocation", "operationTimeout", "snapshotID", "sourceNamespace", "targetVolume"],
    ),
    status: object({ ...movers, node: string, acceptedByNode: string }),
  },
};
