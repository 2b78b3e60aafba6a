#!/usr/bin/env node
import { backupItemAction, restoreItemAction, servePlugins } from "@jibe/plugin-sdk";

// Two small actions in one executable: remember where a ConfigMap came from, and say so when it is restored.
const origin = "example.io/backed-up-by";

await servePlugins({
  "example.io/remember-origin": backupItemAction({
    appliesTo: { includedResources: ["configmaps"], labelSelector: "example.io/small=yes" },
    execute(configMap, backup, { log }) {
      configMap.metadata.annotations = { ...configMap.metadata.annotations, [origin]: backup.metadata.name };
      log.info("origin remembered", { configMap });
      return { item: configMap };
    },
  }),

  "example.io/tell-origin": restoreItemAction({
    appliesTo: { includedResources: ["configmaps"], labelSelector: "example.io/small=yes" },
    execute({ item, itemFromBackup, restore }) {
      const from = itemFromBackup.metadata.annotations?.[origin] ?? "nobody knows where";
      const told = { "example.io/restored": `by ${restore.metadata.name}, from ${from}` };
      item.metadata.annotations = { ...item.metadata.annotations, ...told };
      return { item };
    },
  }),
});
