import type { Scope } from "@jibe/base";
import type { RunPlugins } from "../ports/plugins.ts";
import type { PluginSource } from "./backup-request.ts";

/** The plugins of a run. Those that were handed over are left open at the end; those that were opened here are closed. */
export async function openPlugins(source: PluginSource, scope: Scope): Promise<RunPlugins & AsyncDisposable> {
  if (typeof source === "function") return source(scope);
  return {
    backupActions: (inner) => source.backupActions(inner),
    restoreActions: (inner) => source.restoreActions(inner),
    blockActions: (inner) => source.blockActions(inner),
    deleteActions: (inner) => source.deleteActions(inner),
    snapshotter: (provider, inner) => source.snapshotter(provider, inner),
    [Symbol.asyncDispose]: async () => {},
  };
}
