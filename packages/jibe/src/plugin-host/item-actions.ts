import type { BlockAction, DeleteAction } from "@jibe/engine";
import { remoteDeleteItemAction, remoteItemBlockAction } from "@jibe/plugin-sdk/wire";
import type { PluginCalls } from "./plugin-calls.ts";
import type { ResourceBytes } from "./resource-bytes.ts";

/** An external DeleteItemAction. */
export function deleteAction(plugin: PluginCalls, bytesOf: ResourceBytes): DeleteAction {
  const { name } = plugin;
  return {
    name,
    appliesTo: (scope) =>
      plugin.call("AppliesTo", (channel, inner) => remoteDeleteItemAction(channel, name).appliesTo(inner), scope),
    execute: (body, backup, scope) =>
      plugin.longCall(
        "Execute",
        (channel, inner) => remoteDeleteItemAction(channel, name).execute(body.bytes, bytesOf(backup), inner),
        scope,
      ),
  };
}

/** An external ItemBlockAction. */
export function blockAction(plugin: PluginCalls, bytesOf: ResourceBytes): BlockAction {
  const { name } = plugin;
  return {
    name,
    appliesTo: (scope) =>
      plugin.call("AppliesTo", (channel, inner) => remoteItemBlockAction(channel, name).appliesTo(inner), scope),
    getRelatedItems: (body, backup, scope) =>
      plugin.call(
        "GetRelatedItems",
        (channel, inner) => remoteItemBlockAction(channel, name).getRelatedItems(body.bytes, bytesOf(backup), inner),
        scope,
      ),
  };
}
