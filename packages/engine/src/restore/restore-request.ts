import type { Clock, Scope } from "@jibe/base";
import type { Backup, Restore, RestoreStatus } from "@jibe/plugin-sdk/contracts";
import type { PluginSource } from "../backup/backup-request.ts";
import type { RunResults } from "../ledger/run-results.ts";
import type { ResourceModifiers } from "../modifiers/parse-modifiers.ts";
import type { RestoreOperation } from "../operations/item-operation.ts";
import type { FilterPolicies } from "../policies/filter-policies.ts";
import type { Cluster } from "../ports/cluster.ts";
import type { ObjectStore } from "../ports/object-store.ts";
import type { RunPlugins } from "../ports/plugins.ts";
import type { RunEvent } from "../ports/run-events.ts";
import type { Scratch } from "../ports/scratch.ts";
import type { LogFormat } from "../run-log/log-format.ts";
import type { LiveLog } from "../run-log/run-log.ts";
import type { SnapshotLocation } from "../volumes/take-snapshot.ts";
import { defaultPriorities, type ResourcePriorities } from "./resource-priorities.ts";
import type { RestoreHooks } from "./restore-hooks.ts";

/** What the server's flags say about restores. */
export interface RestoreSettings {
  /** `--resource-timeout`. */
  readonly resourceTimeoutMs: number;
  /** `--additional-items-ready-timeout`; the resource timeout unless given. */
  readonly additionalItemsReadyTimeoutMs?: number;
  /** `--terminating-resource-timeout`. */
  readonly terminatingResourceTimeoutMs: number;
  /** `--restore-resource-priorities`. */
  readonly priorities: ResourcePriorities;
  /** Items at work at once. Items that wait do not count. */
  readonly concurrency: number;
  /** The feature `EnableCSI`: without it, actions named `velero.io/csi-…` are not run. */
  readonly enableCsi: boolean;
  /** The feature `EnableAPIGroupVersions`. */
  readonly enableApiGroupVersions: boolean;
  /** The text under `restoreResourcesVersionPriority` of the ConfigMap `enableapigroupversions`. */
  readonly versionPriorities: string;
  readonly logFormat: LogFormat;
}

export const defaultRestoreSettings: RestoreSettings = {
  resourceTimeoutMs: 10 * 60_000,
  terminatingResourceTimeoutMs: 10 * 60_000,
  priorities: defaultPriorities,
  concurrency: 64,
  enableCsi: false,
  enableApiGroupVersions: false,
  versionPriorities: "",
  logFormat: "text",
};

/** A restore that was validated and completed (see `prepareRestore`). */
export interface RestoreRequest {
  readonly restore: Restore;
  readonly backup: Backup;
  readonly modifiers?: ResourceModifiers | undefined;
  /** What `spec.resourcePolicy` refers to. */
  readonly policies?: FilterPolicies | undefined;
  readonly settings?: Partial<RestoreSettings>;
  /** Ends the restore early on a user's request: what was done stays, files are written, the phase is `Failed`. */
  readonly cancel?: AbortSignal;
}

export interface RestorePorts {
  readonly cluster: Cluster;
  readonly plugins: PluginSource;
  /** The backup's storage location. */
  readonly store: ObjectStore;
  readonly scratch: Scratch;
  readonly clock: Clock;
  /** Merges into the Restore's status. */
  readonly patchStatus: (status: RestoreStatus, scope: Scope) => Promise<void>;
  /** A VolumeSnapshotLocation by name, with credentials, ready for a snapshotter's `init`; fails with `NotFound`. */
  readonly snapshotLocation: (name: string, scope: Scope) => Promise<Pick<SnapshotLocation, "provider" | "config">>;
  readonly onEvent?: (event: RunEvent) => void;
  /** Told the log of the run as soon as there is one, for those who follow it. */
  readonly onLog?: (log: LiveLog) => void;
  /** Keeps the operations that were started so far. Called at most once a second, one call at a time, and before the run's files are written. */
  readonly saveOperations?: (operations: readonly RestoreOperation[], scope: Scope) => Promise<void>;
}

/** The ports of a run whose plugins are open. */
export interface RestoreRunPorts extends Omit<RestorePorts, "plugins"> {
  readonly plugins: RunPlugins;
  /** Told each time an operation was started. */
  readonly onOperation: (operations: readonly RestoreOperation[]) => void;
}

/** How a run ended. The caller writes `status` and, while it is not `Failed`, goes on to operations and finalizing. */
export interface RestoreResult {
  readonly status: RestoreStatus;
  readonly results: RunResults;
  readonly operations: readonly RestoreOperation[];
  /** Hooks that still run in restored pods; finalizing waits for them. Dispose it when nobody will. */
  readonly hooks: RestoreHooks;
}
