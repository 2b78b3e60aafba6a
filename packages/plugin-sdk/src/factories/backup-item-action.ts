import { AppError, type Scope } from "@jibe/base";
import type {
  Backup,
  BackupItemActionOutput,
  KubernetesObject,
  OperationProgress,
  ResourceIdentifier,
} from "../contracts/index.ts";
import { type AppliesTo, type Awaitable, appliesToFunction, type Plugin } from "../plugin.ts";

/** What `execute` may say. Nothing at all means: keep the item as it is. */
export interface BackupOutput<Item extends KubernetesObject = KubernetesObject> {
  /** The item as it shall be stored; the one that was given, unless set. */
  readonly item?: Item;
  /** Items that must be in the backup too; they are backed up before this one. */
  readonly additionalItems?: readonly ResourceIdentifier[];
  readonly operationId?: never;
  readonly itemsToUpdate?: never;
}

/** What `execute` may say when the action has `progress` and `cancel`. */
export interface BackupOperationOutput<Item extends KubernetesObject = KubernetesObject>
  extends Omit<BackupOutput<Item>, "operationId" | "itemsToUpdate"> {
  /** Set when work goes on after `execute` returned. It must be enough to find the operation from another process. */
  readonly operationId?: string;
  /** Items fetched again and replaced in the archive once the operation is done. */
  readonly itemsToUpdate?: readonly ResourceIdentifier[];
}

interface Common {
  readonly appliesTo?: AppliesTo;
}

/** An action that is done when `execute` returns. Served as version 1, which every Velero knows. */
export interface BackupItemActionDefinition<Item extends KubernetesObject = KubernetesObject> extends Common {
  // biome-ignore lint/suspicious/noConfusingVoidType: an action that returns nothing is a good action
  execute(item: Item, backup: Backup, scope: Scope): Awaitable<BackupOutput<Item> | void>;
  readonly progress?: never;
  readonly cancel?: never;
}

/** An action whose work may go on after `execute` returned. Served as version 2. */
export interface AsyncBackupItemActionDefinition<Item extends KubernetesObject = KubernetesObject> extends Common {
  // biome-ignore lint/suspicious/noConfusingVoidType: an action that returns nothing is a good action
  execute(item: Item, backup: Backup, scope: Scope): Awaitable<BackupOperationOutput<Item> | void>;
  progress(operationId: string, backup: Backup, scope: Scope): Awaitable<OperationProgress>;
  cancel(operationId: string, backup: Backup, scope: Scope): Awaitable<void>;
}

/**
 * Makes a BackupItemAction of plain functions.
 *
 * @example
 * const labelClaims = backupItemAction({
 *   appliesTo: { includedResources: ["persistentvolumeclaims"] },
 *   execute(claim) {
 *     claim.metadata.labels = { ...claim.metadata.labels, seen: "yes" };
 *     return { item: claim };
 *   },
 * });
 */
export function backupItemAction<Item extends KubernetesObject = KubernetesObject>(
  definition: BackupItemActionDefinition<Item> | AsyncBackupItemActionDefinition<Item>,
): Plugin {
  const appliesTo = appliesToFunction(definition.appliesTo);
  const execute = async (item: KubernetesObject, backup: Backup, scope: Scope): Promise<BackupItemActionOutput> => {
    const output = (await definition.execute(item as Item, backup, scope)) ?? {};
    return { ...output, item: output.item ?? item };
  };
  if (!definition.progress) {
    return { kind: "BackupItemAction", contract: { appliesTo, execute: refusingOperations(execute) } };
  }
  const { progress, cancel } = definition;
  return {
    kind: "BackupItemActionV2",
    contract: {
      appliesTo,
      execute,
      progress: async (operationId, backup, scope) => await progress.call(definition, operationId, backup, scope),
      cancel: async (operationId, backup, scope) => await cancel.call(definition, operationId, backup, scope),
    },
  };
}

/** The types refuse it already; this is for authors without types. */
export function refusingOperations<Args extends unknown[], Output extends { readonly operationId?: string }>(
  execute: (...args: Args) => Promise<Output>,
): (...args: Args) => Promise<Output> {
  return async (...args) => {
    const output = await execute(...args);
    if (!output.operationId) return output;
    throw new AppError("InvalidArgument", "execute returned an operationId, but the action has no progress and cancel");
  };
}
