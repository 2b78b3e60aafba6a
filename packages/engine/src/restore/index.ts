export * from "./backup-volumes.ts";
export { chooseVersions, compareVersions } from "./choose-versions.ts";
export { hooksOfPod, type PodHook } from "./hook-spec.ts";
export * from "./resource-priorities.ts";
export { createRestoreHooks, type HookResults, type RestoreHooks } from "./restore-hooks.ts";
export * from "./restore-request.ts";
export { runRestore } from "./run-restore.ts";
