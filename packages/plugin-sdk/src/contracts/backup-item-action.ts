import type { Scope } from "@jibe/base";
import type { Backup } from "./backup.ts";
import type { KubernetesObject, ResourceIdentifier, ResourceSelector } from "./kubernetes-object.ts";
import type { OperationProgress } from "./operation-progress.ts";

export interface BackupItemActionOutput {
  /** The item as it shall be stored. */
  readonly item: KubernetesObject;
  /** Items that must be in the backup too; they are backed up before this one. */
  readonly additionalItems?: readonly ResourceIdentifier[];
  /** Set when work goes on after `execute` returned. */
  readonly operationId?: string;
  /** Items fetched again and replaced in the archive once the operation is done. On the wire: `postOperationItems`. */
  readonly itemsToUpdate?: readonly ResourceIdentifier[];
}

/** Version 1: runs on each matching item and is done when it returns. */
export interface BackupItemActionV1 {
  appliesTo(scope: Scope): Promise<ResourceSelector>;
  execute(item: KubernetesObject, backup: Backup, scope: Scope): Promise<BackupItemActionOutput>;
}

/**
 * Version 2: `execute` may start a long-running operation. `progress` and `cancel` usually run in another process than
 * `execute` did, so an operation's state must not live in memory alone.
 */
export interface BackupItemActionV2 extends BackupItemActionV1 {
  progress(operationId: string, backup: Backup, scope: Scope): Promise<OperationProgress>;
  cancel(operationId: string, backup: Backup, scope: Scope): Promise<void>;
}
