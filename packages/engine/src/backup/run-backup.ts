import { AppError, messageOf, type Scope } from "@jibe/base";
import type { Backup } from "@jibe/plugin-sdk/contracts";
import { kubernetesTime } from "../layout/go-json.ts";
import { backupKeys } from "../layout/object-keys.ts";
import type { BackupPorts, BackupRequest, BackupResult } from "./backup-request.ts";
import { BackupSession } from "./backup-session.ts";
import { openRunFiles } from "./run-files.ts";

/**
 * Runs a backup from its prepared resource to a complete set of files in the store, and says which phase comes next. A failure of the
 * run is a result, too: its log and account are uploaded, and the status has the reason. Only being stopped from outside is thrown.
 */
export async function runBackup(request: BackupRequest, ports: BackupPorts, scope: Scope): Promise<BackupResult> {
  const { backup } = request;
  try {
    await requireNew(backup, ports, scope);
    await using files = await openRunFiles(request, ports, scope);
    ports.onLog?.(files.log);
    return await new BackupSession(request, ports, files).run(scope);
  } catch (error) {
    scope.signal.throwIfAborted();
    const reason = { failureReason: messageOf(error), completionTimestamp: kubernetesTime(ports.clock.now()) };
    const status = { ...backup.status, phase: "Failed", ...reason } as const;
    return { phase: "Failed", status, operations: [], snapshots: [], archiveBytes: 0 };
  }
}

/** A backup of that name in the store is never overwritten. */
async function requireNew(backup: Backup, { store }: BackupPorts, scope: Scope): Promise<void> {
  const exists = await store.exists(backupKeys(backup.metadata.name).metadata, scope).catch((cause: unknown) => {
    scope.signal.throwIfAborted();
    throw new AppError("Unavailable", "error checking if backup already exists in object storage", { cause });
  });
  if (exists) throw new AppError("AlreadyExists", "backup already exists in object storage");
}
