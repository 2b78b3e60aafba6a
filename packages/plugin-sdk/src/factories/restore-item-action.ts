import { AppError, type Scope } from "@jibe/base";
import type {
  KubernetesObject,
  OperationProgress,
  ResourceIdentifier,
  Restore,
  RestoreItemActionInput,
  RestoreItemActionOutput,
} from "../contracts/index.ts";
import { type AppliesTo, type Awaitable, appliesToFunction, type Plugin } from "../plugin.ts";
import { asyncOperationsNotSupported } from "../wire/grpc-error.ts";

export interface RestoreInput<Item extends KubernetesObject = KubernetesObject> extends RestoreItemActionInput {
  readonly item: Item;
  readonly itemFromBackup: Item;
}

/** What `execute` may always say. Nothing at all means: restore the item as it is. */
export interface RestoreOutput<Item extends KubernetesObject = KubernetesObject> {
  readonly item?: Item;
  /** Items of the backup to restore before this one; namespaces are the original ones. */
  readonly additionalItems?: readonly ResourceIdentifier[];
  /** Leave the item out. */
  readonly skipRestore?: boolean;
}

interface OperationOutput {
  readonly operationId?: string;
}

interface WaitOutput {
  readonly waitForAdditionalItems?: boolean;
  readonly additionalItemsReadyTimeoutMs?: number;
}

type Never<T> = { readonly [K in keyof T]?: never };

interface Operations {
  progress(operationId: string, restore: Restore, scope: Scope): Awaitable<OperationProgress>;
  cancel(operationId: string, restore: Restore, scope: Scope): Awaitable<void>;
}

interface Readiness {
  areAdditionalItemsReady(
    additionalItems: readonly ResourceIdentifier[],
    restore: Restore,
    scope: Scope,
  ): Awaitable<boolean>;
}

interface Definition<Item extends KubernetesObject, More> {
  readonly appliesTo?: AppliesTo;
  // biome-ignore lint/suspicious/noConfusingVoidType: an action that returns nothing is a good action
  execute(input: RestoreInput<Item>, scope: Scope): Awaitable<(RestoreOutput<Item> & More) | void>;
}

/**
 * A RestoreItemAction. It may start operations only if it has `progress` and `cancel`, and wait for additional items only
 * if it has `areAdditionalItemsReady`.
 */
export type RestoreItemActionDefinition<Item extends KubernetesObject = KubernetesObject> =
  | (Definition<Item, Never<OperationOutput & WaitOutput>> & Never<Operations & Readiness>)
  | (Definition<Item, OperationOutput & Never<WaitOutput>> & Operations & Never<Readiness>)
  | (Definition<Item, WaitOutput & Never<OperationOutput>> & Readiness & Never<Operations>)
  | (Definition<Item, OperationOutput & WaitOutput> & Operations & Readiness);

/**
 * Makes a RestoreItemAction of plain functions. One that neither starts operations nor waits is served as version 1, which
 * every Velero knows.
 */
export function restoreItemAction<Item extends KubernetesObject = KubernetesObject>(
  definition: RestoreItemActionDefinition<Item>,
): Plugin {
  const appliesTo = appliesToFunction(definition.appliesTo);
  const execute = async (input: RestoreItemActionInput, scope: Scope): Promise<RestoreItemActionOutput> => {
    const output: Partial<RestoreItemActionOutput> =
      (await definition.execute(input as RestoreInput<Item>, scope)) ?? {};
    if (output.operationId && !definition.progress) {
      throw new AppError(
        "InvalidArgument",
        "execute returned an operationId, but the action has no progress and cancel",
      );
    }
    if (output.waitForAdditionalItems && !definition.areAdditionalItemsReady) {
      throw new AppError("InvalidArgument", "execute asked to wait, but the action has no areAdditionalItemsReady");
    }
    return { ...output, item: output.item ?? input.item };
  };
  if (!definition.progress && !definition.areAdditionalItemsReady) {
    return { kind: "RestoreItemAction", contract: { appliesTo, execute } };
  }
  return {
    kind: "RestoreItemActionV2",
    contract: {
      appliesTo,
      execute,
      async progress(operationId, restore, scope) {
        if (!definition.progress) throw asyncOperationsNotSupported();
        return await definition.progress(operationId, restore, scope);
      },
      async cancel(operationId, restore, scope) {
        await definition.cancel?.(operationId, restore, scope);
      },
      async areAdditionalItemsReady(items, restore, scope) {
        return (await definition.areAdditionalItemsReady?.(items, restore, scope)) ?? true;
      },
    },
  };
}
