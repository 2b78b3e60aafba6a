import type { BackupAction } from "@jibe/engine";
import type { Backup } from "@jibe/plugin-sdk/contracts";
import { asyncOperationsNotSupported, remoteBackupItemActionV1, remoteBackupItemActionV2 } from "@jibe/plugin-sdk/wire";
import { bodyFromPlugin } from "./body-from-plugin.ts";
import type { PluginCalls } from "./plugin-calls.ts";
import type { ResourceBytes } from "./resource-bytes.ts";

/** An external BackupItemAction of version 2. */
export function backupActionV2(plugin: PluginCalls, bytesOf: ResourceBytes): BackupAction {
  const { name } = plugin;
  return {
    name,
    appliesTo: (scope) =>
      plugin.call("AppliesTo", (channel, inner) => remoteBackupItemActionV2(channel, name).appliesTo(inner), scope),
    execute: (body, backup, scope) =>
      plugin.longCall(
        "Execute",
        async (channel, inner) => {
          const action = remoteBackupItemActionV2(channel, name);
          const { item, ...output } = await action.execute(body.bytes, bytesOf(backup), inner);
          return { ...output, body: bodyFromPlugin(item, body) };
        },
        scope,
      ),
    progress: (operationId, backup, scope) =>
      plugin.call(
        "Progress",
        (channel, inner) => remoteBackupItemActionV2(channel, name).progress(operationId, bytesOf(backup), inner),
        scope,
      ),
    cancel: (operationId, backup, scope) =>
      plugin.call(
        "Cancel",
        (channel, inner) => remoteBackupItemActionV2(channel, name).cancel(operationId, bytesOf(backup), inner),
        scope,
      ),
  };
}

/** Lets a version 1 action stand where version 2 is expected. It never starts an operation, so none can be asked about. */
export function backupActionV1(plugin: PluginCalls, bytesOf: ResourceBytes): BackupAction {
  const { name } = plugin;
  return {
    name,
    appliesTo: (scope) =>
      plugin.call("AppliesTo", (channel, inner) => remoteBackupItemActionV1(channel, name).appliesTo(inner), scope),
    execute: (body, backup: Backup, scope) =>
      plugin.longCall(
        "Execute",
        async (channel, inner) => {
          const action = remoteBackupItemActionV1(channel, name);
          const { item, ...output } = await action.execute(body.bytes, bytesOf(backup), inner);
          return { ...output, body: bodyFromPlugin(item, body) };
        },
        scope,
      ),
    progress: async () => {
      throw asyncOperationsNotSupported();
    },
    cancel: async () => {},
  };
}
