import type { Scope } from "@jibe/base";
import type { RunResults } from "@jibe/engine";
import { labels } from "../../api/names.ts";
import { veleroTypes } from "../../api/resource-types.ts";
import type { Backup, DeleteBackupRequest } from "../../api/resources.ts";
import type { BackupStory } from "../describe/backup.ts";
import { type DescribeContext, describeCommand } from "../resource/describe-command.ts";

const withoutFiles: ReadonlySet<string | undefined> = new Set([
  undefined,
  "New",
  "Queued",
  "ReadyToStart",
  "FailedValidation",
  "InProgress",
]);

export const backupDescribe = describeCommand<Backup>({
  noun: "backup",
  what: "backups",
  type: veleroTypes.backup,
  text: async (backup, context, scope) => {
    const { describeBackup } = await import("../describe/backup.ts");
    return describeBackup(await storyOf(backup, context, scope), context.world.out);
  },
  json: async (backup, context, scope) => {
    const { backupAsJson } = await import("../describe/backup-json.ts");
    return backupAsJson(await storyOf(backup, context, scope));
  },
});

async function storyOf(backup: Backup, context: DescribeContext, scope: Scope): Promise<BackupStory> {
  const { name } = backup.metadata;
  const { details } = context.flags;
  const { status } = backup;
  const { labelValueFrom } = await import("@jibe/engine");
  const labelSelector = `${labels.backupName}=${labelValueFrom(name)}`;
  const deletions = await context.access.list<DeleteBackupRequest>(
    veleroTypes.deleteBackupRequest,
    labelSelector,
    scope,
  );
  if (withoutFiles.has(status?.phase)) return { backup, files: {}, deletions, details };
  const hasMessages = (status?.errors ?? 0) + (status?.warnings ?? 0) > 0;
  const hasOperations = (status?.backupItemOperationsAttempted ?? 0) > 0;
  const [results, resourceList, operations, volumes] = await Promise.all([
    hasMessages ? context.file<RunResults>("BackupResults", name) : undefined,
    details ? context.file<Record<string, string[]>>("BackupResourceList", name) : undefined,
    details && hasOperations
      ? context.file<NonNullable<BackupStory["files"]["operations"]>>("BackupItemOperations", name)
      : undefined,
    context.file<NonNullable<BackupStory["files"]["volumes"]>>("BackupVolumeInfos", name),
  ]);
  return { backup, files: { results, resourceList, operations, volumes }, deletions, details };
}
