#!/usr/bin/env node
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError, systemClock } from "@jibe/base";
import {
  backupItemAction,
  operationDone,
  operationFailed,
  operationRunning,
  restoreItemAction,
  servePlugins,
} from "@jibe/plugin-sdk";

// Operations that last a second and are files, so that a test sees which ones were left running: ID, then ID.done or ID.canceled.
const dir = process.env["OPERATIONS_DIR"] ?? "";
const durationMs = Number(process.env["OPERATION_MS"] ?? 1000);
const nowMs = () => systemClock.now().getTime();

function start(kind: string, name: string): { readonly operationId: string } {
  const operationId = `${kind}-${name}-${randomBytes(4).toString("hex")}`;
  writeFileSync(join(dir, operationId), String(nowMs()));
  return { operationId };
}

const operation = {
  progress: (id: string) => {
    if (!existsSync(join(dir, id))) throw new AppError("InvalidArgument", `invalid operation ID ${id}`);
    if (existsSync(join(dir, `${id}.canceled`))) return operationFailed("canceled");
    const startedMs = Number(readFileSync(join(dir, id), "utf8"));
    const started = new Date(startedMs);
    if (nowMs() - startedMs < durationMs) return operationRunning({ nCompleted: 1, nTotal: 2, started });
    writeFileSync(join(dir, `${id}.done`), "");
    return operationDone({ nCompleted: 2, nTotal: 2, started });
  },
  cancel: (id: string) => writeFileSync(join(dir, `${id}.canceled`), ""),
};
const appliesTo = { includedResources: ["configmaps"], labelSelector: "operation" };

await servePlugins({
  "example.io/backup-operation": backupItemAction({
    appliesTo,
    execute: (item, backup) =>
      backup.status?.phase?.startsWith("Finalizing") ? { item } : { item, ...start("backup", item.metadata.name) },
    ...operation,
  }),
  "example.io/restore-operation": restoreItemAction({
    appliesTo,
    execute: ({ item }) => ({ item, ...start("restore", item.metadata.name) }),
    ...operation,
  }),
});
