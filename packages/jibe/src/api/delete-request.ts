import { labelValueFrom } from "@jibe/engine";
import { labels } from "./names.ts";
import type { Backup, DeleteBackupRequest } from "./resources.ts";

/** A request to delete a backup, as the server and the command line make it. */
export function deleteRequestFor(backup: Backup): DeleteBackupRequest {
  const { name } = backup.metadata;
  return {
    apiVersion: "velero.io/v1",
    kind: "DeleteBackupRequest",
    metadata: { name: "", generateName: `${name}-`, labels: deletionLabels(backup) },
    spec: { backupName: name },
  };
}

/** What a request is found by. */
export function deletionLabels({ metadata: { name, uid = "" } }: Backup): Record<string, string> {
  return { [labels.backupName]: labelValueFrom(name), [labels.backupUid]: uid };
}
