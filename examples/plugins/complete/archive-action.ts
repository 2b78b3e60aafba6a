import { backupItemAction } from "@jibe/plugin-sdk";
import type { OperationFiles } from "./operation-file.ts";

/**
 * Pretends to archive what a ConfigMap stands for, in steps, long after `execute` returned. The backup waits for it and then
 * fetches the ConfigMap again, so that what the operation wrote to it is in the archive.
 */
export function archiveAction(operations: OperationFiles) {
  return backupItemAction({
    appliesTo: { includedResources: ["configmaps"], labelSelector: "example.io/archive" },
    async execute(configMap, backup, { log }) {
      // The actions run once more on items that are fetched again; what is archived already is left alone.
      if (backup.status?.phase?.startsWith("Finalizing")) return { item: configMap };
      const { name, namespace = "" } = configMap.metadata;
      const id = `${backup.metadata.name}/${namespace}/${name}`;
      await operations.start(id, Number(configMap.metadata.labels?.["example.io/archive"] ?? 1));
      log.info("archiving started", { configMap, operation: id });
      return {
        item: configMap,
        operationId: id,
        itemsToUpdate: [{ groupResource: "configmaps", namespace, name }],
      };
    },
    progress: (operationId) => operations.advance(operationId),
    cancel: (operationId) => operations.cancel(operationId),
  });
}
