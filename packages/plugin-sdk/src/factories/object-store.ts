import type { ObjectStore } from "../contracts/index.ts";
import type { Plugin } from "../plugin.ts";

/** Makes an ObjectStore plugin. `init` may run many times, and again after a restart. */
export function objectStore(store: ObjectStore): Plugin {
  return { kind: "ObjectStore", contract: store };
}
