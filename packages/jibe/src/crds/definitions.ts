import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { downloadTargetKinds } from "../api/resources.ts";
import { backupSpec, backupStatus } from "./backup-schema.ts";
import { dataMoverSchemas } from "./data-mover-schemas.ts";
import { restoreSpec, restoreStatus } from "./restore-schema.ts";
import {
  boolean,
  bytes,
  duration,
  list,
  map,
  nullable,
  object,
  oneOf,
  optionalBoolean,
  type Schema,
  secretKey,
  string,
  strings,
  time,
} from "./schema.ts";

interface Column {
  readonly name: string;
  readonly type: "string" | "date" | "integer";
  readonly jsonPath: string;
}

interface Kind {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly version?: string;
  readonly spec: Schema;
  readonly status: Schema;
  readonly columns?: readonly Column[];
}

const age: Column = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };
const status: Column = { name: "Status", type: "string", jsonPath: ".status.phase" };

const mover = (kind: string, plural: string, version = "v1"): Kind => {
  const schemas = dataMoverSchemas[kind];
  if (!schemas) throw new Error(`no schema for ${kind}`);
  return { kind, plural, version, ...schemas, columns: [status, age] };
};

const kinds: readonly Kind[] = [
  { kind: "Backup", plural: "backups", spec: backupSpec, status: backupStatus },
  { kind: "Restore", plural: "restores", spec: restoreSpec, status: restoreStatus },
  {
    kind: "Schedule",
    plural: "schedules",
    spec: object(
      {
        template: backupSpec,
        schedule: string,
        useOwnerReferencesInBackup: optionalBoolean,
        paused: boolean,
        skipImmediately: optionalBoolean,
      },
      ["schedule", "template"],
    ),
    status: object({
      phase: oneOf("New", "Enabled", "FailedValidation"),
      lastBackup: time,
      lastSkipped: time,
      validationErrors: list(string),
    }),
    columns: [
      status,
      { name: "Schedule", type: "string", jsonPath: ".spec.schedule" },
      { name: "LastBackup", type: "date", jsonPath: ".status.lastBackup" },
      age,
      { name: "Paused", type: "string", jsonPath: ".spec.paused" },
    ],
  },
  {
    kind: "BackupStorageLocation",
    plural: "backupstoragelocations",
    shortNames: ["bsl"],
    spec: object(
      {
        provider: string,
        config: map(),
        credential: secretKey,
        objectStorage: object({ bucket: string, prefix: string, caCert: bytes, caCertRef: secretKey }, ["bucket"]),
        default: boolean,
        accessMode: oneOf("ReadOnly", "ReadWrite"),
        backupSyncPeriod: nullable(duration),
        validationFrequency: nullable(duration),
      },
      ["objectStorage", "provider"],
    ),
    status: object({
      phase: oneOf("Available", "Unavailable"),
      lastSyncedTime: time,
      lastValidationTime: time,
      message: string,
      lastSyncedRevision: string,
      accessMode: oneOf("ReadOnly", "ReadWrite"),
    }),
    columns: [
      { name: "Phase", type: "string", jsonPath: ".status.phase" },
      { name: "Last Validated", type: "date", jsonPath: ".status.lastValidationTime" },
      age,
      { name: "Default", type: "string", jsonPath: ".spec.default" },
    ],
  },
  {
    kind: "VolumeSnapshotLocation",
    plural: "volumesnapshotlocations",
    shortNames: ["vsl"],
    spec: object({ provider: string, config: map(), credential: secretKey }, ["provider"]),
    status: object({ phase: oneOf("Available", "Unavailable") }),
  },
  {
    kind: "DeleteBackupRequest",
    plural: "deletebackuprequests",
    spec: object({ backupName: string }, ["backupName"]),
    status: object({ phase: oneOf("New", "InProgress", "Processed"), errors: strings }),
    columns: [{ name: "BackupName", type: "string", jsonPath: ".spec.backupName" }, status],
  },
  {
    kind: "DownloadRequest",
    plural: "downloadrequests",
    spec: object({ target: object({ kind: oneOf(...downloadTargetKinds), name: string }, ["kind", "name"]) }, [
      "target",
    ]),
    status: object({ phase: oneOf("New", "Processed"), downloadURL: string, expiration: time }),
  },
  {
    kind: "ServerStatusRequest",
    plural: "serverstatusrequests",
    shortNames: ["ssr"],
    spec: object({}),
    status: object({
      phase: oneOf("New", "Processed"),
      processedTimestamp: time,
      serverVersion: string,
      plugins: nullable(list(object({ name: string, kind: string }, ["kind", "name"]))),
    }),
  },
  mover("PodVolumeBackup", "podvolumebackups"),
  mover("PodVolumeRestore", "podvolumerestores"),
  mover("BackupRepository", "backuprepositories"),
  mover("DataUpload", "datauploads", "v2alpha1"),
  mover("DataDownload", "datadownloads", "v2alpha1"),
];

/** The CustomResourceDefinitions that the server needs: Velero's, with our additions. */
export function customResourceDefinitions(): KubernetesObject[] {
  return kinds.map(({ kind, plural, shortNames = [], version = "v1", spec, status: statusSchema, columns = [] }) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.velero.io`, labels: { component: "velero" } },
    spec: {
      group: "velero.io",
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        ...(shortNames.length > 0 ? { shortNames } : {}),
      },
      scope: "Namespaced",
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          // Status is written through the main resource, as every tool of this family expects.
          subresources: {},
          ...(columns.length > 0 ? { additionalPrinterColumns: columns } : {}),
          schema: {
            openAPIV3Schema: object({
              apiVersion: string,
              kind: string,
              metadata: { type: "object" },
              spec,
              status: statusSchema,
            }),
          },
        },
      ],
    },
  }));
}
