import { AppError, type Scope } from "@jibe/base";
import {
  type BackupAction,
  type BlockAction,
  bodyFromObject,
  type DeleteAction,
  type ItemBody,
  type RestoreAction,
} from "@jibe/engine";
import type {
  BackupItemActionV1,
  DeleteItemAction,
  ItemBlockAction,
  KubernetesObject,
  RestoreItemActionV1,
} from "@jibe/plugin-sdk/contracts";

/** An action in this process, as the engine calls it. An item that it gives back untouched keeps its body, bytes and all. */
export function inProcessBackupAction(name: string, action: BackupItemActionV1): BackupAction {
  return {
    name,
    appliesTo: (scope) => named(name, scope, () => action.appliesTo(scope)),
    execute: async (body, backup, scope) => {
      const output = await named(name, scope, () => action.execute(body.object, backup, scope));
      const { additionalItems = [], operationId = "", itemsToUpdate = [] } = output;
      return { body: bodyAfter(body, output.item), additionalItems, operationId, itemsToUpdate };
    },
    progress: async (operationId) => noOperations(name, operationId),
    cancel: async () => {},
  };
}

/** As `inProcessBackupAction`, for restores. Without operations of its own it never waits either. */
export function inProcessRestoreAction(name: string, action: RestoreItemActionV1): RestoreAction {
  return {
    name,
    appliesTo: (scope) => named(name, scope, () => action.appliesTo(scope)),
    execute: async ({ body, bodyFromBackup, restore }, scope) => {
      const input = { item: body.object, itemFromBackup: bodyFromBackup.object, restore };
      const output = await named(name, scope, () => action.execute(input, scope));
      const { additionalItems = [], skipRestore = false, operationId = "" } = output;
      const { waitForAdditionalItems = false, additionalItemsReadyTimeoutMs = 0 } = output;
      return {
        body: bodyAfter(body, output.item),
        additionalItems,
        skipRestore,
        operationId,
        waitForAdditionalItems,
        additionalItemsReadyTimeoutMs,
      };
    },
    progress: async (operationId) => noOperations(name, operationId),
    cancel: async () => {},
    areAdditionalItemsReady: async () => true,
  };
}

export function inProcessBlockAction(name: string, action: ItemBlockAction): BlockAction {
  return {
    name,
    appliesTo: (scope) => named(name, scope, () => action.appliesTo(scope)),
    getRelatedItems: (body, backup, scope) =>
      named(name, scope, () => action.getRelatedItems(body.object, backup, scope)),
  };
}

export function inProcessDeleteAction(name: string, action: DeleteItemAction): DeleteAction {
  return {
    name,
    appliesTo: (scope) => named(name, scope, () => action.appliesTo(scope)),
    execute: (body, backup, scope) => named(name, scope, () => action.execute(body.object, backup, scope)),
  };
}

function bodyAfter(body: ItemBody, item: KubernetesObject): ItemBody {
  return item === body.object ? body : bodyFromObject(item);
}

function noOperations(name: string, operationId: string): never {
  throw new AppError("Unsupported", `plugin "${name}" does not support asynchronous operations`, {
    fields: { operationId },
  });
}

/** Errors say which plugin they are from; being stopped is none. */
async function named<T>(name: string, { signal }: Scope, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    signal.throwIfAborted();
    const code = cause instanceof AppError ? cause.code : "Internal";
    throw new AppError(code, `plugin "${name}" failed`, { cause, fields: { plugin: name } });
  }
}
