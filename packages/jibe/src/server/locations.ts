import { AppError, type Scope } from "@jibe/base";
import type { BackupStorageLocation } from "../api/resources.ts";
import type { SnapshotLocations, StorageLocations } from "../controllers/storage-locations.ts";
import { type ObjectStoreLocation, type ObjectStoreSources, openObjectStore } from "../object-store/index.ts";
import type { Credentials } from "./credentials.ts";

/** Opens storage locations: resolves their certificates and credentials, then the store. */
export function storageLocations(credentials: Credentials, sources: ObjectStoreSources): StorageLocations {
  return {
    open: async (location, scope) => openObjectStore(await resolved(location, credentials, scope), sources, scope),
  };
}

async function resolved(
  { metadata, spec }: BackupStorageLocation,
  credentials: Credentials,
  scope: Scope,
): Promise<ObjectStoreLocation> {
  const { name } = metadata;
  const storage = spec.objectStorage;
  if (!storage) throw new AppError("InvalidArgument", `location ${JSON.stringify(name)} has no spec.objectStorage`);
  const caCert = storage.caCertRef
    ? Buffer.from(await credentials.read(storage.caCertRef, scope)).toString("utf8")
    : storage.caCert && Buffer.from(storage.caCert, "base64").toString("utf8");
  const credentialsFile = spec.credential && (await credentials.file(spec.credential, scope));
  return {
    name,
    provider: spec.provider,
    bucket: storage.bucket,
    ...(storage.prefix ? { prefix: storage.prefix } : {}),
    ...(spec.config ? { config: spec.config } : {}),
    ...(caCert ? { caCert } : {}),
    ...(credentialsFile ? { credentialsFile } : {}),
    ...(spec.accessMode ? { accessMode: spec.accessMode } : {}),
  };
}

/** Opens snapshot locations: their own keys and a file with their credentials. */
export function snapshotLocations(credentials: Credentials): SnapshotLocations {
  return {
    open: async ({ metadata, spec }, scope) => {
      const credentialsFile = spec.credential && (await credentials.file(spec.credential, scope));
      const config = { ...spec.config, ...(credentialsFile ? { credentialsFile } : {}) };
      return { name: metadata.name, provider: spec.provider, config };
    },
  };
}
