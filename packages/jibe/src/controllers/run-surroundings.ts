import type { Clock, Logger, Scope } from "@jibe/base";
import { AppError } from "@jibe/base";
import type { Cluster, RunPlugins, Scratch } from "@jibe/engine";
import type { BackupStorageLocation, VolumeSnapshotLocation } from "../api/resources.ts";
import type { Resources } from "./resources.ts";
import type { OpenSnapshotLocation, SnapshotLocations, StorageLocations } from "./storage-locations.ts";

/** What every run is handed by the server: the world it works on. */
export interface RunSurroundings {
  readonly cluster: Cluster;
  readonly locations: Resources<BackupStorageLocation>;
  readonly snapshotLocations: Resources<VolumeSnapshotLocation>;
  readonly stores: StorageLocations;
  readonly snapshots: SnapshotLocations;
  /** The plugins of one run; their log lines go to its log. */
  readonly openPlugins: (log: Logger, scope: Scope) => Promise<RunPlugins & AsyncDisposable>;
  readonly openScratch: (scope: Scope) => Promise<Scratch & AsyncDisposable>;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Tells this server's life from all others. */
  readonly holder: string;
  readonly parseYaml: (text: string) => unknown;
  /** What happens to runs that were in progress when a server ended. */
  readonly onRestart: "rerun" | "fail";
}

/** The location of a backup's files. */
export async function openBackupStore(
  backup: { readonly spec: { readonly storageLocation?: string } },
  { locations, stores }: Pick<RunSurroundings, "locations" | "stores">,
  scope: Scope,
) {
  const name = backup.spec.storageLocation || "default";
  const location = await locations.find(name, scope);
  if (!location) throw new AppError("NotFound", `backup storage location ${JSON.stringify(name)} not found`);
  return stores.open(location, scope);
}

/** A snapshot location by name, ready for a snapshotter's `init`. */
export async function openSnapshotLocation(
  name: string,
  { snapshotLocations, snapshots }: Pick<RunSurroundings, "snapshotLocations" | "snapshots">,
  scope: Scope,
): Promise<OpenSnapshotLocation> {
  return snapshots.open(await snapshotLocations.get(name, scope), scope);
}
