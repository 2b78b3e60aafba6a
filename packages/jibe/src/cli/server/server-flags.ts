import type { LogLevel } from "@jibe/base";
import { flag } from "../flags.ts";

const minutes = 60_000;
const hours = 60 * minutes;

type VeleroLogLevel = "trace" | "debug" | "info" | "warning" | "error" | "fatal" | "panic";

/** Velero's log levels, and what they mean here. */
export const logLevels: Readonly<Record<VeleroLogLevel, LogLevel>> = {
  trace: "debug",
  debug: "debug",
  info: "info",
  warning: "warn",
  error: "error",
  fatal: "error",
  panic: "error",
};

/** The server's flags: Velero's, with the same names and defaults where they make sense, and ours. */
export const serverFlags = {
  pluginDir: flag.string("Directory that holds the plugins", "/plugins", { placeholder: "path" }),
  logLevel: flag.choice("Least level of log lines", Object.keys(logLevels) as VeleroLogLevel[], "info"),
  logFormat: flag.choice("Form of log lines", ["text", "json"], "text"),
  metricsAddress: flag.string("Address that serves metrics and health", ":8085"),
  features: flag.list("Feature names to enable, such as EnableAPIGroupVersions"),
  defaultBackupStorageLocation: flag.string("Location of backups that name none", "default"),
  defaultVolumeSnapshotLocations: flag.map("Snapshot location of each provider that has several", { separator: ":" }),
  backupSyncPeriod: flag.duration("How often to look for backups of others in the stores", 1 * minutes),
  storeValidationFrequency: flag.duration("How often to check that locations can be used", 1 * minutes),
  fsBackupTimeout: flag.duration("Longest time for file system backups of a pod", 4 * hours),
  terminatingResourceTimeout: flag.duration(
    "How long a restore waits for terminating volumes and namespaces",
    10 * minutes,
  ),
  resourceTimeout: flag.duration("How long to wait for resources to be ready", 10 * minutes),
  additionalItemsReadyTimeout: flag.duration(
    "How long a restore waits for additional items (0: as --resource-timeout)",
  ),
  defaultBackupTtl: flag.duration("How long backups are kept that do not say it", 720 * hours),
  defaultItemOperationTimeout: flag.duration("How long asynchronous operations may take", 4 * hours),
  itemOperationSyncFrequency: flag.duration("Longest time between two looks at an operation", 10_000),
  garbageCollectionFrequency: flag.duration("How often to look for expired backups", 60 * minutes),
  restoreResourcePriorities: flag.string("Order of restored types: high ones, '-', low ones, comma separated"),
  disableControllers: flag.list("Controllers not to run"),
  clientPageSize: flag.integer("Items to ask for at once when listing (0: all)", 500),
  clientQps: flag.string("Accepted for compatibility; requests adapt to the API server", "100", { hidden: true }),
  clientBurst: flag.integer("Accepted for compatibility; requests adapt to the API server", 100, { hidden: true }),
  maxConcurrentK8sConnections: flag.integer("Most requests to the API server at once", 64),
  defaultVolumesToFsBackup: flag.boolean("Back up pod volumes by file system unless a backup says otherwise"),
  defaultSnapshotMoveData: flag.boolean("Move snapshot data to the store unless a backup says otherwise"),
  scheduleSkipImmediately: flag.boolean("Do not run a new schedule at once unless it says so"),
  volumeGroupSnapshotLabelKey: flag.string("Label that groups claims for snapshots", "velero.io/volume-group"),
  globalBackupVolumePoliciesConfigmap: flag.string(
    "ConfigMap whose volume policies hold for every backup, after its own",
  ),
  itemBlockWorkerCount: flag.integer("Item blocks of a backup at work at once", 16),
  restoreWorkerCount: flag.integer("Items of a restore at work at once", 64),
  concurrentBackups: flag.integer("Backups at work at once", 4),
  concurrentRestores: flag.integer("Restores at work at once", 4),
  pluginExecuteTimeout: flag.duration("Longest time for one Execute of a plugin", 60 * minutes),
  pluginCallTimeout: flag.duration("Longest time for any other call of a plugin", 2 * minutes),
  pluginEnv: flag.list("Environment variables plugins receive (default: all)"),
  strictPlugins: flag.boolean("Refuse to start when a plugin is broken, as Velero does"),
  onRestart: flag.choice(
    "What happens to backups that were in progress when a server ended",
    ["rerun", "fail"],
    "rerun",
  ),
  leaderElect: flag.boolean("Work only while holding the lease of the namespace", true),
  allowOtherServer: flag.boolean("Take work even if another server answers in the namespace"),
  scratchDir: flag.string("Directory for temporary files (default: the system's)", "", { placeholder: "path" }),
  publicUrl: flag.string("Address under which clients reach this server, for download links of local stores"),
  secureMetrics: flag.boolean("Ask for a Kubernetes token that may read metrics"),
  uploaderType: flag.string("Accepted for compatibility", "kopia", { hidden: true }),
  restoreOnly: flag.boolean("Run only what restores need (deprecated)", false, { hidden: true }),
  disableInformerCache: flag.boolean("Accepted for compatibility", false, { hidden: true }),
  profilerAddress: flag.string("Accepted for compatibility", "localhost:6060", { hidden: true }),
  defaultRepoMaintainFrequency: flag.duration("Accepted for compatibility", 0, { hidden: true }),
  backupRepositoryConfigmap: flag.string("Accepted for compatibility", "", { hidden: true }),
  repoMaintenanceJobConfigmap: flag.string("Accepted for compatibility", "", { hidden: true }),
} as const;
