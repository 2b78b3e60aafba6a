import type { ResourceType } from "../registry/resource-type.ts";
import { namespaceStrategy } from "./namespace.ts";
import { plainStrategy, type Strategy } from "./strategy.ts";

const strategies: Readonly<Record<string, Strategy>> = {
  namespaces: namespaceStrategy,
};

/** What is particular to a type; custom resources have nothing but their schema. */
export function strategyOf(type: ResourceType): Strategy {
  return type.custom ? plainStrategy : (strategies[type.bucket] ?? plainStrategy);
}
