import { restoreItemAction, withItemsWait } from "@jibe/plugin-sdk";
import type { OperationFiles } from "./operation-file.ts";

/**
 * The restore's side: the Secret that a ConfigMap names is restored first and waited for; then unpacking goes on after the
 * item was created.
 */
export function unpackAction(operations: OperationFiles) {
  return restoreItemAction({
    appliesTo: { includedResources: ["configmaps"], labelSelector: "example.io/archive" },
    async execute({ item, restore }, { log }) {
      const { name, namespace = "", annotations = {} } = item.metadata;
      const id = `${restore.metadata.name}/${namespace}/${name}`;
      await operations.start(id, 2);
      const secret = annotations["example.io/needs-secret"];
      log.info("unpacking started", { configMap: item, operation: id });
      if (!secret) return { item, operationId: id };
      const additionalItems = [{ groupResource: "secrets", namespace, name: secret }];
      return withItemsWait({ item, operationId: id, additionalItems }, { timeoutMs: 30_000 });
    },
    progress: (operationId) => operations.advance(operationId),
    cancel: (operationId) => operations.cancel(operationId),
    areAdditionalItemsReady: (items) => items.length > 0,
  });
}
