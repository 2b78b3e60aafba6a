import type { Scope } from "@jibe/base";
import type {
  Backup,
  CreateVolumeInput,
  OperationProgress,
  ResourceIdentifier,
  ResourceSelector,
  Restore,
  VolumeSnapshotterV2,
} from "@jibe/plugin-sdk/contracts";
import type { ItemBody } from "../item/item-body.ts";

export interface BackupActionResult {
  /** The body that was given, when the action changed nothing. */
  readonly body: ItemBody;
  readonly additionalItems: readonly ResourceIdentifier[];
  /** Empty when no operation was started. */
  readonly operationId: string;
  readonly itemsToUpdate: readonly ResourceIdentifier[];
}

/** A BackupItemAction of any version and origin, as the engine calls it. `name` is the registered name. */
export interface BackupAction {
  readonly name: string;
  appliesTo(scope: Scope): Promise<ResourceSelector>;
  execute(body: ItemBody, backup: Backup, scope: Scope): Promise<BackupActionResult>;
  progress(operationId: string, backup: Backup, scope: Scope): Promise<OperationProgress>;
  cancel(operationId: string, backup: Backup, scope: Scope): Promise<void>;
}

export interface RestoreActionInput {
  readonly body: ItemBody;
  readonly bodyFromBackup: ItemBody;
  readonly restore: Restore;
}

export interface RestoreActionResult {
  readonly body: ItemBody;
  readonly additionalItems: readonly ResourceIdentifier[];
  readonly skipRestore: boolean;
  readonly operationId: string;
  readonly waitForAdditionalItems: boolean;
  /** 0 means the server's. */
  readonly additionalItemsReadyTimeoutMs: number;
}

export interface RestoreAction {
  readonly name: string;
  appliesTo(scope: Scope): Promise<ResourceSelector>;
  execute(input: RestoreActionInput, scope: Scope): Promise<RestoreActionResult>;
  progress(operationId: string, restore: Restore, scope: Scope): Promise<OperationProgress>;
  cancel(operationId: string, restore: Restore, scope: Scope): Promise<void>;
  areAdditionalItemsReady(items: readonly ResourceIdentifier[], restore: Restore, scope: Scope): Promise<boolean>;
}

export interface BlockAction {
  readonly name: string;
  appliesTo(scope: Scope): Promise<ResourceSelector>;
  getRelatedItems(body: ItemBody, backup: Backup, scope: Scope): Promise<readonly ResourceIdentifier[]>;
}

export interface DeleteAction {
  readonly name: string;
  appliesTo(scope: Scope): Promise<ResourceSelector>;
  execute(body: ItemBody, backup: Backup, scope: Scope): Promise<void>;
}

export interface VolumeRequest extends CreateVolumeInput {
  /** The same however often a restore asks for this volume. Who can recognise it makes the volume once; it does not travel to plugins. */
  readonly requestId?: string;
}

/** A VolumeSnapshotter of any version. */
export interface Snapshotter extends VolumeSnapshotterV2 {
  readonly name: string;
  /** True for kind VolumeSnapshotterV2: its snapshots are operations. An adapted v1 is never asked for progress. */
  readonly asynchronous: boolean;
  createVolumeFromSnapshot(input: VolumeRequest, scope: Scope): Promise<string>;
}

/**
 * The plugins of one run. Lists are in the order of execution: built-in ones first, then by executable; inside one, v1 by name,
 * then v2 by name. Every call has a time limit of its own, is stopped with the scope, and fails with an error that names the
 * plugin. An unknown name fails with `NotFound`. "Asynchronous operations not supported" is `Unsupported`, "invalid operation
 * ID" is `InvalidArgument`, a dead or unreachable process is `Unavailable`.
 */
export interface RunPlugins {
  backupActions(scope: Scope): Promise<readonly BackupAction[]>;
  restoreActions(scope: Scope): Promise<readonly RestoreAction[]>;
  blockActions(scope: Scope): Promise<readonly BlockAction[]>;
  deleteActions(scope: Scope): Promise<readonly DeleteAction[]>;
  /** By provider name, with or without the prefix `velero.io/`. The caller runs `init` first. */
  snapshotter(provider: string, scope: Scope): Promise<Snapshotter>;
}
