import type { Scope } from "@jibe/base";
import type { RestoreAction, RestoreActionInput, RestoreActionResult } from "@jibe/engine";
import {
  asyncOperationsNotSupported,
  type RemoteRestoreItemActionV1,
  remoteRestoreItemActionV1,
  remoteRestoreItemActionV2,
} from "@jibe/plugin-sdk/wire";
import { bodyFromPlugin } from "./body-from-plugin.ts";
import type { PluginCalls } from "./plugin-calls.ts";
import type { ResourceBytes } from "./resource-bytes.ts";

/** An external RestoreItemAction of version 2. */
export function restoreActionV2(plugin: PluginCalls, bytesOf: ResourceBytes): RestoreAction {
  const { name } = plugin;
  return {
    name,
    appliesTo: (scope) =>
      plugin.call("AppliesTo", (channel, inner) => remoteRestoreItemActionV2(channel, name).appliesTo(inner), scope),
    execute: (input, scope) =>
      plugin.longCall(
        "Execute",
        (channel, inner) => execute(remoteRestoreItemActionV2(channel, name), input, bytesOf, inner),
        scope,
      ),
    progress: (operationId, restore, scope) =>
      plugin.call(
        "Progress",
        (channel, inner) => remoteRestoreItemActionV2(channel, name).progress(operationId, bytesOf(restore), inner),
        scope,
      ),
    cancel: (operationId, restore, scope) =>
      plugin.call(
        "Cancel",
        (channel, inner) => remoteRestoreItemActionV2(channel, name).cancel(operationId, bytesOf(restore), inner),
        scope,
      ),
    areAdditionalItemsReady: (items, restore, scope) =>
      plugin.call(
        "AreAdditionalItemsReady",
        (channel, inner) =>
          remoteRestoreItemActionV2(channel, name).areAdditionalItemsReady(items, bytesOf(restore), inner),
        scope,
      ),
  };
}

/** Lets a version 1 action stand where version 2 is expected: no operations, and additional items are always ready. */
export function restoreActionV1(plugin: PluginCalls, bytesOf: ResourceBytes): RestoreAction {
  const { name } = plugin;
  return {
    name,
    appliesTo: (scope) =>
      plugin.call("AppliesTo", (channel, inner) => remoteRestoreItemActionV1(channel, name).appliesTo(inner), scope),
    execute: (input, scope) =>
      plugin.longCall(
        "Execute",
        (channel, inner) => execute(remoteRestoreItemActionV1(channel, name), input, bytesOf, inner),
        scope,
      ),
    progress: async () => {
      throw asyncOperationsNotSupported();
    },
    cancel: async () => {},
    areAdditionalItemsReady: async () => true,
  };
}

async function execute(
  action: RemoteRestoreItemActionV1,
  { body, bodyFromBackup, restore }: RestoreActionInput,
  bytesOf: ResourceBytes,
  scope: Scope,
): Promise<RestoreActionResult> {
  const input = { item: body.bytes, itemFromBackup: bodyFromBackup.bytes, restore: bytesOf(restore) };
  const { item, ...output } = await action.execute(input, scope);
  return { ...output, body: output.skipRestore && item.length === 0 ? body : bodyFromPlugin(item, body) };
}
