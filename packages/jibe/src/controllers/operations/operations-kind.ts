import type { Scope } from "@jibe/base";
import type { ResourceType } from "@jibe/engine";
import {
  type BackupOperation,
  backupKeys,
  type ObjectStore,
  type OperationPlugin,
  type PolledOperation,
  type RestoreOperation,
  restoreKeys,
  type StoredResourceIdentifier,
} from "@jibe/engine";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup, Restore } from "../../api/resources.ts";
import type { FindingKeys } from "./run-findings.ts";

/** An operation of a backup or of a restore. */
export type ItemOperation = PolledOperation & {
  readonly spec: { readonly resourceIdentifier: StoredResourceIdentifier };
};

/** What differs between operations of backups and of restores. */
export interface OperationsKind<T extends Backup | Restore, O extends ItemOperation> {
  readonly kind: "backup" | "restore";
  readonly type: ResourceType;
  keys(name: string): FindingKeys & { readonly itemOperations: string };
  pluginFor(object: T): OperationPlugin<O>;
  /** The store that holds the run's files; fails with `NotFound` when its location is gone. */
  openStore(object: T, scope: Scope): Promise<ObjectStore & AsyncDisposable>;
  /** Called after everything that ran was canceled, to set right what depends on it. Gives what the status is to say of it. */
  afterCancel?(object: T, operations: readonly O[], store: ObjectStore, scope: Scope): Promise<object>;
  /** Called when the status changed and the stored copy of the object shall follow. */
  storeObject?(object: T, store: ObjectStore, scope: Scope): Promise<void>;
}

export const backupOperationsKind = { kind: "backup", type: veleroTypes.backup, keys: backupKeys } as const;
export const restoreOperationsKind = { kind: "restore", type: veleroTypes.restore, keys: restoreKeys } as const;

export type { BackupOperation, RestoreOperation };
