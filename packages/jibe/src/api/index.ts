export * from "./names.ts";
export * from "./resource-types.ts";
export * from "./resources.ts";
export * from "./time.ts";
