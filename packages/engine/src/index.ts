export * from "./item/item-body.ts";
export * from "./operations/item-operation.ts";
export * from "./ports/index.ts";
