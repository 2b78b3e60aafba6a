import type { RestoreItemActionV1 } from "@jibe/plugin-sdk/contracts";
import { edited, fieldsOf, listOf, setList, textOf } from "../object-fields.ts";

const waiting: ReadonlySet<string> = new Set(["restore-wait", "restic-wait"]);

/** Removes init containers that wait for an earlier restore's volume data; nobody would ever tell them to go on. */
export const podVolumeRestore: RestoreItemActionV1 = {
  appliesTo: async () => ({ includedResources: ["pods"] }),
  execute: async ({ item }) => ({
    item: edited(item, (pod) => {
      const spec = fieldsOf(pod["spec"]);
      const containers = listOf(spec["initContainers"]);
      const kept = containers.filter(({ name }) => !waiting.has(textOf(name)));
      if (kept.length < containers.length) setList(spec, "initContainers", kept);
    }),
  }),
};
