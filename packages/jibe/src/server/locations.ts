import { AppError, type Scope } from "@jibe/base";
import type { ObjectStore } from "@jibe/engine";
import type { BackupStorageLocation, VolumeSnapshotLocation } from "../api/resources.ts";
import type { OpenSnapshotLocation, SnapshotLocations, StorageLocations } from "../controllers/storage-locations.ts";
import type { Credentials } from "./credentials.ts";

/** Everything a store needs to open a location, credentials resolved. */
export interface LocationSettings {
  /** The location's name, which signed URLs of our own stores carry. */
  readonly name: string;
  readonly provider: string;
  readonly bucket: string;
  readonly prefix: string;
  /** As plugins receive it: `bucket`, `prefix`, `caCert` and `credentialsFile` among the location's own keys. */
  readonly config: Readonly<Record<string, string>>;
  readonly readOnly: boolean;
}

export type OpenStore = (settings: LocationSettings, scope: Scope) => Promise<ObjectStore & Partial<AsyncDisposable>>;

/** Opens storage locations by resolving their credentials first. */
export function storageLocations(credentials: Credentials, open: OpenStore): StorageLocations {
  return {
    open: async (location, scope) => {
      const store = await open(await locationSettings(location, credentials, scope), scope);
      return Object.assign(Object.create(store) as ObjectStore, {
        [Symbol.asyncDispose]: async () => store[Symbol.asyncDispose]?.(),
      });
    },
  };
}

const trimmed = (text: string | undefined) => (text ?? "").replace(/^\/+|\/+$/g, "");

async function locationSettings(
  { metadata, spec }: BackupStorageLocation,
  credentials: Credentials,
  scope: Scope,
): Promise<LocationSettings> {
  const storage = spec.objectStorage;
  if (!storage)
    throw new AppError("InvalidArgument", `location ${JSON.stringify(metadata.name)} has no spec.objectStorage`);
  const bucket = trimmed(storage.bucket);
  const prefix = trimmed(storage.prefix);
  const caCert = storage.caCertRef
    ? Buffer.from(await credentials.read(storage.caCertRef, scope)).toString("utf8")
    : storage.caCert && Buffer.from(storage.caCert, "base64").toString("utf8");
  const credentialsFile = spec.credential && (await credentials.file(spec.credential, scope));
  return {
    name: metadata.name,
    provider: spec.provider,
    bucket,
    prefix,
    readOnly: spec.accessMode === "ReadOnly",
    config: {
      ...spec.config,
      bucket,
      prefix,
      ...(caCert ? { caCert } : {}),
      ...(credentialsFile ? { credentialsFile } : {}),
    },
  };
}

/** Opens snapshot locations: their own keys and a file with their credentials. */
export function snapshotLocations(credentials: Credentials): SnapshotLocations {
  return {
    open: async ({ metadata, spec }: VolumeSnapshotLocation, scope: Scope): Promise<OpenSnapshotLocation> => {
      const credentialsFile = spec.credential && (await credentials.file(spec.credential, scope));
      const config = { ...spec.config, ...(credentialsFile ? { credentialsFile } : {}) };
      return { name: metadata.name, provider: spec.provider, config };
    },
  };
}
