import { randomUUID } from "node:crypto";
import type { Clock, Logger, Scope } from "@jibe/base";
import type { Cluster, ResourceType } from "@jibe/engine";
import { type KubeClient, loadYaml } from "@jibe/kube";
import type { KubernetesObject } from "@jibe/plugin-sdk/contracts";
import { builtInActions } from "../actions/index.ts";
import { veleroTypes } from "../api/resource-types.ts";
import type {
  Backup,
  BackupStorageLocation,
  DeleteBackupRequest,
  DownloadRequest,
  Restore,
  Schedule,
  ServerStatusRequest,
  VolumeSnapshotLocation,
} from "../api/resources.ts";
import { Resources } from "../controllers/resources.ts";
import type { RunSurroundings } from "../controllers/run-surroundings.ts";
import type { LocalVolumes } from "../local-volume/index.ts";
import type { ServerMetrics } from "../metrics/index.ts";
import type { UrlSigner } from "../object-store/index.ts";
import { builtInObjectStores } from "../object-store/open-object-store.ts";
import type { PluginHost } from "../plugin-host/index.ts";
import { openFileScratch } from "../scratch/file-scratch.ts";
import { secretCredentials } from "./credentials.ts";
import { type KnownPlugin, knownPlugins } from "./known-plugins.ts";
import { snapshotLocations, storageLocations } from "./locations.ts";
import type { ServerConfig } from "./server-config.ts";

/** What the server is made of, once it has connected. */
export interface ServerParts {
  readonly config: ServerConfig;
  readonly clock: Clock;
  readonly cluster: Cluster;
  /** Those on disk and those built in. */
  readonly plugins: readonly KnownPlugin[];
  readonly metrics: ServerMetrics;
  readonly backups: Resources<Backup>;
  readonly restores: Resources<Restore>;
  readonly podVolumeBackups: Resources<KubernetesObject>;
  readonly schedules: Resources<Schedule>;
  readonly deleteRequests: Resources<DeleteBackupRequest>;
  readonly downloadRequests: Resources<DownloadRequest>;
  readonly statusRequests: Resources<ServerStatusRequest>;
  readonly world: RunSurroundings;
}

export interface ServerPartsOptions {
  readonly config: ServerConfig;
  readonly clock: Clock;
  readonly client: KubeClient;
  readonly cluster: Cluster;
  readonly plugins: PluginHost;
  readonly signer: UrlSigner;
  readonly localVolumes: LocalVolumes;
  readonly metrics: ServerMetrics;
}

export function serverParts(options: ServerPartsOptions): ServerParts {
  const { config, clock, cluster, plugins, signer, localVolumes, metrics } = options;
  const { namespace, flags, scratchDir, identity } = config;
  const of = <T extends KubernetesObject>(type: ResourceType) => new Resources<T>(cluster, type, namespace);
  const credentials = secretCredentials({ cluster, namespace, directory: scratchDir });
  const findPlugin = (name: string) => plugins.shared.objectStore(name);
  const builtIns = () => {
    const actions = builtInActions({ cluster, namespace, features: flags.features });
    return {
      backupActions: actions.backup,
      restoreActions: actions.restore,
      blockActions: actions.block,
      deleteActions: actions.delete,
      snapshotters: [localVolumes.snapshotter()],
    };
  };
  const openPlugins = async (log: Logger) => plugins.openRun({ log, builtIns: builtIns() });
  return {
    config,
    clock,
    cluster,
    plugins: knownPlugins(plugins, { ...builtIns(), objectStores: builtInObjectStores }),
    metrics,
    backups: of<Backup>(veleroTypes.backup),
    restores: of<Restore>(veleroTypes.restore),
    podVolumeBackups: of<KubernetesObject>(veleroTypes.podVolumeBackup),
    schedules: of<Schedule>(veleroTypes.schedule),
    deleteRequests: of<DeleteBackupRequest>(veleroTypes.deleteBackupRequest),
    downloadRequests: of<DownloadRequest>(veleroTypes.downloadRequest),
    statusRequests: of<ServerStatusRequest>(veleroTypes.serverStatusRequest),
    world: {
      cluster,
      locations: of<BackupStorageLocation>(veleroTypes.backupStorageLocation),
      snapshotLocations: of<VolumeSnapshotLocation>(veleroTypes.volumeSnapshotLocation),
      stores: storageLocations(credentials, { clock, findPlugin, signer }),
      snapshots: snapshotLocations(credentials),
      openPlugins,
      openScratch: (scope: Scope) => openFileScratch(scratchDir, scope),
      clock,
      newId: randomUUID,
      holder: identity,
      parseYaml: loadYaml,
      onRestart: flags.onRestart,
    },
  };
}
