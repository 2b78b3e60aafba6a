#!/usr/bin/env node
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@jibe/base";
import {
  backupItemAction,
  deleteItemAction,
  type KubernetesObject,
  operationDone,
  operationRunning,
  restoreItemAction,
  servePlugins,
} from "@jibe/plugin-sdk";

// Item actions that last as long as a test wants: the label `hold` says where, a file named `release-NAME` lets go. One that is held in
// finalizing has an operation first, and stays for ever in the call that follows, whoever wants it to end.
const dir = process.env["HELD_DIR"] ?? "";
const mark = (name: string) => writeFileSync(join(dir, name), String(process.pid));
const isReleased = (name: string) => existsSync(join(dir, `release-${name}`));

async function execute(item: KubernetesObject, signal: AbortSignal) {
  const hold = item.metadata.labels?.["hold"];
  mark(`reached-${item.metadata.name}`);
  while (hold === "execute" && !isReleased(item.metadata.name)) await systemClock.sleep(20, { signal });
  return hold === "execute" ? {} : { operationId: `op-${item.metadata.name}` };
}

async function stay(name: string): Promise<never> {
  mark(`finalizing-${name}`);
  return new Promise(() => systemClock.after(3_600_000, () => {}));
}

// Operations outlive the process that began them, so no start of theirs is known here: it is always a minute ago.
const started = new Date(systemClock.now().getTime() - 60_000);
const operation = {
  progress: (operationId: string) => {
    const isDone = isReleased(operationId.replace(/^op-/, ""));
    const amounts = {
      nCompleted: isDone ? 8 : 3,
      nTotal: 8,
      operationUnits: "MB",
      started,
    };
    return isDone ? operationDone(amounts) : operationRunning(amounts);
  },
  cancel: (operationId: string) => mark(`canceled-${operationId}`),
};
const appliesTo = { includedResources: ["configmaps"], labelSelector: "hold" };

await servePlugins({
  "example.io/held-backup": backupItemAction({
    appliesTo,
    async execute(item, { status }, { signal, log }) {
      const { namespace = "", name } = item.metadata;
      log.info("held by the backup action", { item: name });
      if (status?.phase?.startsWith("Finalizing")) return stay(name);
      const isUpdated = item.metadata.labels?.["hold"] === "finalizing";
      const itemsToUpdate = isUpdated ? [{ groupResource: "configmaps", namespace, name }] : [];
      return { item, itemsToUpdate, ...(await execute(item, signal)) };
    },
    ...operation,
  }),
  "example.io/held-restore": restoreItemAction({
    appliesTo,
    async execute({ item }, { signal, log }) {
      log.info("held by the restore action", { item: item.metadata.name });
      return { item, ...(await execute(item, signal)) };
    },
    ...operation,
  }),
  "example.io/held-delete": deleteItemAction({
    appliesTo,
    execute: ({ metadata }, backup) => mark(`deleted-${metadata.name}-of-${backup.metadata.name}`),
  }),
});
