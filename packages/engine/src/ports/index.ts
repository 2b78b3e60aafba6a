export * from "./cluster.ts";
export * from "./object-store.ts";
export * from "./plugins.ts";
export * from "./run-events.ts";
export * from "./scratch.ts";
