import type { Clock, LogLevel, Scope } from "@jibe/base";
import type { Backup, BackupPhase, BackupStatus } from "@jibe/plugin-sdk/contracts";
import type { BackupOperation } from "../operations/item-operation.ts";
import type { ResourcePolicies } from "../policies/resource-policies.ts";
import type { Cluster } from "../ports/cluster.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import type { RunPlugins } from "../ports/plugins.ts";
import type { RunEvent } from "../ports/run-events.ts";
import type { Scratch } from "../ports/scratch.ts";
import type { LogFormat } from "../run-log/log-format.ts";
import type { LiveLog } from "../run-log/run-log.ts";
import type { StoredSnapshot } from "../volumes/stored-snapshot.ts";
import type { SnapshotLocation } from "../volumes/take-snapshot.ts";

/** How a run goes about its work; what is left out has a good default. */
export interface BackupOptions {
  /** Blocks at work at once. */
  readonly itemBlockConcurrency?: number;
  /** Items a list page. */
  readonly pageSize?: number;
  /** Types listed at once. */
  readonly typesAtOnce?: number;
  /** Velero's feature flags: `EnableCSI`, `EnableAPIGroupVersions`. */
  readonly features?: readonly string[];
  readonly logLevel?: LogLevel;
  readonly logFormat?: LogFormat;
}

export interface BackupRequest {
  /** As `prepareBackup` made it, with the phase InProgress and its start set. */
  readonly backup: Backup;
  readonly policies?: ResourcePolicies | undefined;
  readonly options?: BackupOptions;
}

/** The part of the status that changes while a run goes on. */
export type BackupStatusPatch = Pick<BackupStatus, "progress" | "hookStatus">;

/** What a later process needs in order to continue or undo what a run has started. */
export interface StartedWork {
  readonly operations: readonly BackupOperation[];
  readonly snapshots: readonly StoredSnapshot[];
}

/** The plugins of a run, or how to get them: their log lines belong in the run's log, which the given scope has. */
export type PluginSource = RunPlugins | ((scope: Scope) => Promise<RunPlugins & AsyncDisposable>);

export interface BackupPorts {
  readonly cluster: Cluster;
  readonly plugins: PluginSource;
  readonly store: ObjectStore;
  readonly scratch: Scratch;
  readonly clock: Clock;
  readonly newId: () => string;
  /** The only writer of the status while the run goes on; called at most once a second, and at the end. */
  readonly patchStatus: (patch: BackupStatusPatch, scope: Scope) => Promise<void>;
  readonly snapshotLocations: readonly SnapshotLocation[];
  readonly onEvent?: (event: RunEvent) => void;
  /** Told the log of the run as soon as there is one, for those who follow it. */
  readonly onLog?: (log: LiveLog) => void;
  /** Called at most once a second while operations and snapshots are started. */
  readonly saveStarted?: (started: StartedWork, scope: Scope) => Promise<void>;
  /** Ends the run early: what is in flight ends, files are written, the phase is Failed with the signal's reason as text. */
  readonly cancel?: AbortSignal;
}

export interface BackupResult {
  readonly phase: Extract<
    BackupPhase,
    | "Failed"
    | "Finalizing"
    | "FinalizingPartiallyFailed"
    | "WaitingForPluginOperations"
    | "WaitingForPluginOperationsPartiallyFailed"
  >;
  /** The whole status, phase included, as the uploaded metadata has it. */
  readonly status: BackupStatus;
  readonly operations: readonly BackupOperation[];
  readonly snapshots: readonly StoredSnapshot[];
  /** Bytes of the archive; 0 when there is none. */
  readonly archiveBytes: number;
}
