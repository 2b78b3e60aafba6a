import type { Scope } from "@jibe/base";
import type { KubernetesObject, ResourceIdentifier, ResourceSelector } from "./kubernetes-object.ts";
import type { OperationProgress } from "./operation-progress.ts";
import type { Restore } from "./restore.ts";

export interface RestoreItemActionInput {
  /** The item about to be restored: status and server-made metadata removed, earlier actions' changes in it. */
  readonly item: KubernetesObject;
  /** The item as it lies in the backup. */
  readonly itemFromBackup: KubernetesObject;
  readonly restore: Restore;
}

export interface RestoreItemActionOutput {
  readonly item: KubernetesObject;
  /** Items of the backup to restore before this one; namespaces are the original ones. */
  readonly additionalItems?: readonly ResourceIdentifier[];
  /** Ends the actions on this item and leaves it out; additional items and the wait are ignored then. */
  readonly skipRestore?: boolean;
  readonly operationId?: string;
  /** Hold this item until `areAdditionalItemsReady` says yes or the time is up. */
  readonly waitForAdditionalItems?: boolean;
  /** Overrides the server's time limit for that wait; 0 or absent means the server's. */
  readonly additionalItemsReadyTimeoutMs?: number;
}

export interface RestoreItemActionV1 {
  appliesTo(scope: Scope): Promise<ResourceSelector>;
  execute(input: RestoreItemActionInput, scope: Scope): Promise<RestoreItemActionOutput>;
}

/** Version 2: long-running operations as for backups, and a say in when additional items are ready. */
export interface RestoreItemActionV2 extends RestoreItemActionV1 {
  progress(operationId: string, restore: Restore, scope: Scope): Promise<OperationProgress>;
  cancel(operationId: string, restore: Restore, scope: Scope): Promise<void>;
  areAdditionalItemsReady(
    additionalItems: readonly ResourceIdentifier[],
    restore: Restore,
    scope: Scope,
  ): Promise<boolean>;
}
