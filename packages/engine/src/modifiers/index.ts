export * from "./apply-modifiers.ts";
export * from "./json-patch.ts";
export * from "./merge-patch.ts";
export * from "./parse-modifiers.ts";
export * from "./strategic-merge.ts";
