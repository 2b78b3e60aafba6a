#!/usr/bin/env node
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseGoDuration } from "@jibe/base";
import {
  type KubernetesObject,
  type ResourceIdentifier,
  type Restore,
  restoreItemAction,
  servePlugins,
} from "@jibe/plugin-sdk";

// The waiting action of the Go test plugins once more: same labels and annotations, same record of calls.
const dir = process.env["PLUGIN_STATE_DIR"] ?? "";
const record = (line: string) => appendFileSync(join(dir, "calls"), `${line}\n`);

function itemsNamedIn({ metadata }: KubernetesObject): ResourceIdentifier[] {
  const entries = (metadata.annotations?.["example.io/additional"] ?? "").split(",");
  return entries.flatMap((entry) => {
    const [groupResource = "", namespace, name] = entry.trim().split("/");
    return namespace !== undefined && name !== undefined ? [{ groupResource, namespace, name }] : [];
  });
}

const stateFile = (restore: Restore, [first]: readonly ResourceIdentifier[]) =>
  join(dir, `ready-${restore.metadata.name}-${first?.name ?? ""}`);

await servePlugins({
  "example.io/ria2-wait": restoreItemAction({
    appliesTo: { labelSelector: "example.io/ria2=wait" },
    execute({ item, restore }) {
      record(`ria2-wait ${item.kind} ${item.metadata.namespace}/${item.metadata.name}`);
      const { annotations = {} } = item.metadata;
      const additionalItems = itemsNamedIn(item);
      writeFileSync(stateFile(restore, additionalItems), annotations["example.io/ready-after"] ?? "0");
      const timeout = annotations["example.io/ready-timeout"];
      return {
        item,
        additionalItems,
        waitForAdditionalItems: true,
        ...(timeout === undefined ? {} : { additionalItemsReadyTimeoutMs: parseGoDuration(timeout) }),
      };
    },
    areAdditionalItemsReady(items, restore) {
      record(`ready? ${items.length} items`);
      const file = stateFile(restore, items);
      const left = existsSync(file) ? readFileSync(file, "utf8") : "error";
      if (left === "error") throw new Error("readiness cannot be told");
      if (left === "never") return false;
      writeFileSync(file, String(Number(left) - 1));
      return Number(left) <= 0;
    },
  }),
});
