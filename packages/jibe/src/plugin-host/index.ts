export type { PluginProblem } from "./plugin-catalog.ts";
export { type PluginHost, type PluginInfo, startPluginHost } from "./plugin-host.ts";
export type { BuiltInPlugins, PluginRun } from "./plugin-run.ts";
export type { PluginCallListener, PluginHostSettings } from "./settings.ts";
