import type { Scope } from "@jibe/base";
import type { GrpcChannel } from "@jibe/go-plugin";
import type { OperationProgress, ResourceIdentifier, ResourceSelector } from "../contracts/index.ts";
import { BackupItemAction as BackupV1 } from "../gen/generated/backup_item_action_pb.ts";
import { DeleteItemAction } from "../gen/generated/delete_item_action_pb.ts";
import { ItemBlockAction } from "../gen/v1/item_block_action_pb.ts";
import { BackupItemAction as BackupV2 } from "../gen/v2/backup_item_action_pb.ts";
import { progressFromMessage } from "./progress-message.ts";
import { identifiersFromMessages, selectorFromMessage } from "./resource-messages.ts";

export interface RemoteBackupOutput {
  /** The item's JSON. */
  readonly item: Uint8Array;
  readonly additionalItems: readonly ResourceIdentifier[];
  readonly operationId: string;
  readonly itemsToUpdate: readonly ResourceIdentifier[];
}

/** A BackupItemAction at the end of a connection. Items and backups are JSON bytes, so that nothing is encoded twice. */
export interface RemoteBackupItemActionV1 {
  appliesTo(scope: Scope): Promise<ResourceSelector>;
  execute(item: Uint8Array, backup: Uint8Array, scope: Scope): Promise<RemoteBackupOutput>;
}

export interface RemoteBackupItemActionV2 extends RemoteBackupItemActionV1 {
  progress(operationId: string, backup: Uint8Array, scope: Scope): Promise<OperationProgress>;
  cancel(operationId: string, backup: Uint8Array, scope: Scope): Promise<void>;
}

export function remoteBackupItemActionV1(channel: GrpcChannel, plugin: string): RemoteBackupItemActionV1 {
  return {
    async appliesTo(scope) {
      const response = await channel.unary(BackupV1.method.appliesTo, { plugin }, scope);
      return selectorFromMessage(response.ResourceSelector);
    },
    async execute(item, backup, scope) {
      const response = await channel.unary(BackupV1.method.execute, { plugin, item, backup }, scope);
      const additionalItems = identifiersFromMessages(response.additionalItems);
      return { item: response.item, additionalItems, operationId: "", itemsToUpdate: [] };
    },
  };
}

export function remoteBackupItemActionV2(channel: GrpcChannel, plugin: string): RemoteBackupItemActionV2 {
  return {
    async appliesTo(scope) {
      const response = await channel.unary(BackupV2.method.appliesTo, { plugin }, scope);
      return selectorFromMessage(response.ResourceSelector);
    },
    async execute(item, backup, scope) {
      const response = await channel.unary(BackupV2.method.execute, { plugin, item, backup }, scope);
      return {
        item: response.item,
        additionalItems: identifiersFromMessages(response.additionalItems),
        operationId: response.operationID,
        itemsToUpdate: identifiersFromMessages(response.postOperationItems),
      };
    },
    async progress(operationID, backup, scope) {
      const { progress } = await channel.unary(BackupV2.method.progress, { plugin, operationID, backup }, scope);
      return progressFromMessage(progress);
    },
    async cancel(operationID, backup, scope) {
      await channel.unary(BackupV2.method.cancel, { plugin, operationID, backup }, scope);
    },
  };
}

export interface RemoteDeleteItemAction {
  appliesTo(scope: Scope): Promise<ResourceSelector>;
  execute(item: Uint8Array, backup: Uint8Array, scope: Scope): Promise<void>;
}

export function remoteDeleteItemAction(channel: GrpcChannel, plugin: string): RemoteDeleteItemAction {
  return {
    async appliesTo(scope) {
      const response = await channel.unary(DeleteItemAction.method.appliesTo, { plugin }, scope);
      return selectorFromMessage(response.ResourceSelector);
    },
    async execute(item, backup, scope) {
      await channel.unary(DeleteItemAction.method.execute, { plugin, item, backup }, scope);
    },
  };
}

export interface RemoteItemBlockAction {
  appliesTo(scope: Scope): Promise<ResourceSelector>;
  getRelatedItems(item: Uint8Array, backup: Uint8Array, scope: Scope): Promise<readonly ResourceIdentifier[]>;
}

export function remoteItemBlockAction(channel: GrpcChannel, plugin: string): RemoteItemBlockAction {
  return {
    async appliesTo(scope) {
      const response = await channel.unary(ItemBlockAction.method.appliesTo, { plugin }, scope);
      return selectorFromMessage(response.ResourceSelector);
    },
    async getRelatedItems(item, backup, scope) {
      const request = { plugin, item, backup };
      const { relatedItems } = await channel.unary(ItemBlockAction.method.getRelatedItems, request, scope);
      return identifiersFromMessages(relatedItems);
    },
  };
}
