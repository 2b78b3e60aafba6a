import type { Scope } from "@jibe/base";
import type { ObjectStore } from "@jibe/engine";
import type { BackupStorageLocation, VolumeSnapshotLocation } from "../api/resources.ts";

/** Opens the store behind a storage location: reads its credentials, starts its plugin if it has one. */
export interface StorageLocations {
  open(location: BackupStorageLocation, scope: Scope): Promise<ObjectStore & AsyncDisposable>;
}

/** A snapshot location with everything its snapshotter's `init` needs. */
export interface OpenSnapshotLocation {
  readonly name: string;
  readonly provider: string;
  readonly config: Readonly<Record<string, string>>;
}

export interface SnapshotLocations {
  open(location: VolumeSnapshotLocation, scope: Scope): Promise<OpenSnapshotLocation>;
}
