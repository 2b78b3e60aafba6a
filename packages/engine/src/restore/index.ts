export * from "./backup-volumes.ts";
export { chooseVersions, compareVersions } from "./choose-versions.ts";
export * from "./finalize-restore.ts";
export { hooksOfPod, type PodHook } from "./hook-spec.ts";
export * from "./prepare-restore.ts";
export * from "./resource-priorities.ts";
export { createRestoreHooks, type HookResults, type RestoreHooks } from "./restore-hooks.ts";
export * from "./restore-request.ts";
export { runRestore } from "./run-restore.ts";
