import type { Scope } from "@jibe/base";
import type { GrpcChannel } from "@jibe/go-plugin";
import type { OperationProgress, ResourceIdentifier, ResourceSelector } from "../contracts/index.ts";
import { RestoreItemAction as V1 } from "../gen/generated/restore_item_action_pb.ts";
import { RestoreItemAction as V2 } from "../gen/v2/restore_item_action_pb.ts";
import { msFromDuration } from "./duration-message.ts";
import { progressFromMessage } from "./progress-message.ts";
import { identifiersAsMessages, identifiersFromMessages, selectorFromMessage } from "./resource-messages.ts";

/** All three as JSON. */
export interface RemoteRestoreInput {
  readonly item: Uint8Array;
  readonly itemFromBackup: Uint8Array;
  readonly restore: Uint8Array;
}

export interface RemoteRestoreOutput {
  readonly item: Uint8Array;
  readonly additionalItems: readonly ResourceIdentifier[];
  readonly skipRestore: boolean;
  readonly operationId: string;
  readonly waitForAdditionalItems: boolean;
  /** 0 means the server's. */
  readonly additionalItemsReadyTimeoutMs: number;
}

/** A RestoreItemAction at the end of a connection. */
export interface RemoteRestoreItemActionV1 {
  appliesTo(scope: Scope): Promise<ResourceSelector>;
  execute(input: RemoteRestoreInput, scope: Scope): Promise<RemoteRestoreOutput>;
}

export interface RemoteRestoreItemActionV2 extends RemoteRestoreItemActionV1 {
  progress(operationId: string, restore: Uint8Array, scope: Scope): Promise<OperationProgress>;
  cancel(operationId: string, restore: Uint8Array, scope: Scope): Promise<void>;
  areAdditionalItemsReady(items: readonly ResourceIdentifier[], restore: Uint8Array, scope: Scope): Promise<boolean>;
}

export function remoteRestoreItemActionV1(channel: GrpcChannel, plugin: string): RemoteRestoreItemActionV1 {
  return {
    async appliesTo(scope) {
      const response = await channel.unary(V1.method.appliesTo, { plugin }, scope);
      return selectorFromMessage(response.ResourceSelector);
    },
    async execute(input, scope) {
      const response = await channel.unary(V1.method.execute, { plugin, ...input }, scope);
      return {
        item: response.item,
        additionalItems: identifiersFromMessages(response.additionalItems),
        skipRestore: response.skipRestore,
        operationId: "",
        waitForAdditionalItems: false,
        additionalItemsReadyTimeoutMs: 0,
      };
    },
  };
}

export function remoteRestoreItemActionV2(channel: GrpcChannel, plugin: string): RemoteRestoreItemActionV2 {
  return {
    async appliesTo(scope) {
      const response = await channel.unary(V2.method.appliesTo, { plugin }, scope);
      return selectorFromMessage(response.ResourceSelector);
    },
    async execute(input, scope) {
      const response = await channel.unary(V2.method.execute, { plugin, ...input }, scope);
      return {
        item: response.item,
        additionalItems: identifiersFromMessages(response.additionalItems),
        skipRestore: response.skipRestore,
        operationId: response.operationID,
        waitForAdditionalItems: response.waitForAdditionalItems,
        additionalItemsReadyTimeoutMs: msFromDuration(response.additionalItemsReadyTimeout),
      };
    },
    async progress(operationID, restore, scope) {
      const { progress } = await channel.unary(V2.method.progress, { plugin, operationID, restore }, scope);
      return progressFromMessage(progress);
    },
    async cancel(operationID, restore, scope) {
      await channel.unary(V2.method.cancel, { plugin, operationID, restore }, scope);
    },
    async areAdditionalItemsReady(items, restore, scope) {
      const request = { plugin, restore, additionalItems: identifiersAsMessages(items) };
      const { ready } = await channel.unary(V2.method.areAdditionalItemsReady, request, scope);
      return ready;
    },
  };
}
