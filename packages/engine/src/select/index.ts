export * from "./action-selector.ts";
export * from "./glob.ts";
export * from "./includes-excludes.ts";
export * from "./namespace-filter.ts";
export * from "./namespace-pattern.ts";
export * from "./resource-filter.ts";
export * from "./validate-lists.ts";
