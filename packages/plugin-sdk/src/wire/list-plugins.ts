import { AppError, type Scope } from "@jibe/base";
import type { GrpcChannel } from "@jibe/go-plugin";
import { type PluginKind, pluginKinds } from "../contracts/index.ts";
import { PluginLister } from "../gen/generated/plugin_lister_pb.ts";
import { checkPluginName } from "./plugin-name.ts";

/** A plugin as its executable announces it. */
export interface AnnouncedPlugin {
  /** What runs it. */
  readonly command: string;
  readonly kind: PluginKind;
  readonly name: string;
}

/** Asks an executable which plugins it has. An unknown kind or a bad name fails, and says which. */
export async function listPlugins(channel: GrpcChannel, scope: Scope): Promise<readonly AnnouncedPlugin[]> {
  const { plugins } = await channel.unary(PluginLister.method.listPlugins, {}, scope);
  return plugins.map(({ command, kind, name }) => {
    checkPluginName(name);
    if (!isKind(kind))
      throw new AppError("InvalidArgument", `plugin ${name} is of unknown kind ${JSON.stringify(kind)}`);
    return { command, kind, name };
  });
}

function isKind(kind: string): kind is PluginKind {
  return (pluginKinds as readonly string[]).includes(kind);
}
