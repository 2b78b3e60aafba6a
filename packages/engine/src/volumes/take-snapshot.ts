import { AppError, type Clock, messageOf, type Scope, withFields } from "@jibe/base";
import type { Backup, KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { kubernetesTime } from "../layout/go-json.ts";
import type { BackupOperation } from "../operations/item-operation.ts";
import type { RunPlugins, Snapshotter } from "../ports/plugins.ts";
import type { StoredSnapshot } from "./stored-snapshot.ts";
import { volumeZone } from "./volume-zone.ts";

/** A snapshot location with everything its snapshotter's `init` takes, the credentials' file included. */
export interface SnapshotLocation {
  readonly name: string;
  readonly provider: string;
  readonly config: Readonly<Record<string, string>>;
}

/** The snapshotters of a run, each initialised once per location. */
export class Snapshotters {
  readonly #plugins: RunPlugins;
  readonly #locations: readonly SnapshotLocation[];
  readonly #ready = new Map<string, Promise<Snapshotter>>();

  constructor(plugins: RunPlugins, locations: readonly SnapshotLocation[]) {
    this.#plugins = plugins;
    this.#locations = locations;
  }

  /** The first location whose snapshotter knows the volume. What stands in the way is logged; the next one is tried. */
  async find(volume: KubernetesObject, scope: Scope): Promise<SnapshotSource | undefined> {
    for (const location of this.#locations) {
      const at = withFields(scope, { volumeSnapshotLocation: location.name });
      const snapshotter = await this.#open(location, at).catch((error: unknown) => {
        scope.signal.throwIfAborted();
        const text = "Error getting volume snapshotter for volume snapshot location";
        at.log.error(text, { error: messageOf(error) });
      });
      if (!snapshotter) continue;
      const volumeId = await snapshotter.getVolumeId(volume, at).catch((error: unknown) => {
        scope.signal.throwIfAborted();
        const text = "Error attempting to get volume ID for persistent volume";
        at.log.error(text, { error: messageOf(error), plugin: snapshotter.name });
      });
      if (volumeId) return { snapshotter, location: location.name, volumeId };
      if (volumeId === "") at.log.warn("No volume ID returned by volume snapshotter for persistent volume");
    }
    return undefined;
  }

  #open(location: SnapshotLocation, scope: Scope): Promise<Snapshotter> {
    const open = this.#ready.get(location.name) ?? this.#init(location, scope);
    this.#ready.set(location.name, open);
    open.catch(() => this.#ready.delete(location.name)); // the next volume tries again
    return open;
  }

  async #init({ provider, config }: SnapshotLocation, scope: Scope): Promise<Snapshotter> {
    const snapshotter = await this.#plugins.snapshotter(provider, scope);
    await snapshotter.init(config, scope);
    return snapshotter;
  }
}

export interface SnapshotSource {
  readonly snapshotter: Snapshotter;
  readonly location: string;
  readonly volumeId: string;
}

export interface TakenSnapshot {
  readonly snapshot: StoredSnapshot;
  /** Set when the snapshot is still being made. */
  readonly operation?: BackupOperation;
  /** Set when it could not be made; `snapshot` then says Failed. */
  readonly error?: AppError;
}

/**
 * Takes a snapshot of a volume. A failure to read the volume's facts is thrown; a failure to make the snapshot is part of the
 * result, because it is recorded.
 */
export async function takeSnapshot(
  { backup, volume, source, clock }: { backup: Backup; volume: KubernetesObject; source: SnapshotSource; clock: Clock },
  scope: Scope,
): Promise<TakenSnapshot> {
  const { snapshotter, location, volumeId } = source;
  const volumeAZ = volumeZone(volume);
  const { name: volumeName } = volume.metadata;
  const info = await snapshotter.getVolumeInfo({ volumeId, volumeAZ }, scope).catch((cause: unknown) => {
    scope.signal.throwIfAborted();
    throw new AppError("Internal", "error getting volume info", { cause });
  });
  const spec = {
    backupName: backup.metadata.name,
    backupUID: backup.metadata.uid ?? "",
    location,
    persistentVolumeName: volumeName,
    providerVolumeID: volumeId,
    volumeType: info.volumeType,
    ...(volumeAZ === "" ? {} : { volumeAZ }),
    ...(info.iops === undefined ? {} : { volumeIOPS: info.iops }),
  };
  const tags = {
    ...backup.metadata.labels,
    "velero.io/backup": backup.metadata.name,
    "velero.io/pv": volumeName,
  };
  scope.log.info("Snapshotting persistent volume");
  try {
    const id = await snapshotter.createSnapshot({ volumeId, volumeAZ, tags }, scope);
    const phase = snapshotter.asynchronous ? "New" : "Completed";
    const snapshot: StoredSnapshot = { spec, status: { ...(id === "" ? {} : { providerSnapshotID: id }), phase } };
    return snapshotter.asynchronous
      ? { snapshot, operation: snapshotOperation({ snapshot, id, snapshotter, clock }) }
      : { snapshot };
  } catch (cause) {
    scope.signal.throwIfAborted();
    const error = new AppError("Internal", "error taking snapshot of volume", { cause });
    return { snapshot: { spec, status: { phase: "Failed" } }, error };
  }
}

function snapshotOperation({
  snapshot: { spec },
  id,
  snapshotter,
  clock,
}: {
  readonly snapshot: StoredSnapshot;
  readonly id: string;
  readonly snapshotter: Snapshotter;
  readonly clock: Clock;
}): BackupOperation {
  return {
    spec: {
      backupName: spec.backupName,
      backupUID: spec.backupUID,
      backupItemAction: snapshotter.name,
      resourceIdentifier: { Group: "", Resource: "persistentvolumes", Namespace: "", Name: spec.persistentVolumeName },
      operationID: id,
      postOperationItems: null,
      volumeSnapshotLocation: spec.location,
    },
    status: { phase: "New", created: kubernetesTime(clock.now()) },
  };
}
